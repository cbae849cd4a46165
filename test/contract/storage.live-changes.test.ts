import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { createIdSource } from '../../src/domain/ids.ts';
import type { Logger } from '../../src/domain/ports/logger.ts';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import type { Clock } from '../../src/domain/time/clock.ts';
import { createServing } from '../../src/ingress/registry/create-serving.ts';
import { LiveFactories } from '../../src/ingress/registry/live-factories.ts';
import { Registry } from '../../src/ingress/registry/registry.ts';
import { createRedactor } from '../../src/platform/secrets/redactor.ts';
import { createSecretStore } from '../../src/platform/secrets/secret-store.ts';
import { createVault } from '../../src/platform/secrets/vault.ts';
import type { FactoryContext } from '../../src/reconcile/factory-context.ts';
import { FactoryState } from '../../src/reconcile/factory-state.ts';
import { Reconciler } from '../../src/reconcile/reconciler.ts';
import { LiveFollower } from '../../src/storage/replicas/live-follower.ts';
import { buildAudited } from '../helpers/build-apply.ts';
import { type GroupMember, joinAsMember } from '../helpers/group-member.ts';
import { received } from '../helpers/payload-filter.ts';
import { createScriptedSource, type ScriptedSource } from '../helpers/reconcile-world.ts';
import { withClient } from '../helpers/start-postgres.ts';
import { validateHere } from '../helpers/validate-here.ts';

const FACTORY = 'payments';
const KEY = randomBytes(32);
const SECRETS = ['A', 'B'];
const WEBHOOKS = ['ci', 'errors', 'shop'];
const AUTOMATIONS = ['one', 'two', 'three', 'four', 'five'];
const LEVELS = ['error', 'fatal'];

/** A daemon without listeners: it applies and follows. */
interface Daemon extends GroupMember {
  registry: Registry;
  reconciler: Reconciler;
  follower: LiveFollower;
  /** How the factory was served: 'whole', or the number of automations and webhooks that were read. */
  followed: ('whole' | number)[];
  putSecret(name: string): Promise<void>;
}

let databases = 0;
let url: string;
let source: ScriptedSource;
let now: number;
const daemons: Daemon[] = [];

beforeEach(async () => {
  const server = inject('postgresUrl');
  const name = `live_changes_${process.pid}_${++databases}`;
  await withClient(`${server}/postgres`, (client) => client.query(`CREATE DATABASE ${name}`));
  url = `${server}/${name}`;
  source = createScriptedSource();
  now = 1_000;
});

afterEach(async () => {
  for (const daemon of daemons.splice(0)) await daemon.leave();
});

const logger: Logger = { info: () => {}, warn: () => {}, error: () => {}, child: () => logger };

async function start(id: string): Promise<Daemon> {
  const member = await joinAsMember(url, id);
  const { inventory, sealedSecrets, replicas } = member.storage;
  const clock: Clock = { wallMs: () => ++now, monotonicMs: () => now };
  const secrets = createSecretStore({
    table: sealedSecrets,
    vault: createVault(KEY),
    clock,
    redactor: createRedactor(),
    notifyTargets: [],
    factories: [FACTORY],
  });
  const registry = new Registry();
  const followed: Daemon['followed'] = [];
  const noteOwn = (factory: string, version: number | undefined): void => follower.noteOwn(factory, version);
  const context: FactoryContext = {
    name: FACTORY,
    source,
    hosted: null,
    sourceKey: 'main .',
    hasExecutor: true,
    pushWebhook: null,
    state: new FactoryState(FACTORY, inventory),
    inventory,
    secrets,
    validate: validateHere,
    webhooksPerFactory: 20,
    serving: createServing(inventory.apply, new LiveFactories(registry, () => null), noteOwn),
    onTimedPass: () => {},
    clock,
    ids: createIdSource(randomBytes),
    logger,
  };
  const reconciler = new Reconciler(
    context,
    () => () => {},
    () => {},
  );
  const follower: LiveFollower = new LiveFollower({
    replicas,
    follow: (factory, { served }) =>
      reconciler.follow(async () => {
        const read = await replicas.changesSince(factory, served);
        followed.push(read.change === null ? 'whole' : read.change.automations.length + read.change.webhooks.length);
        return read;
      }),
    onChanged: () => {},
    logger,
  });
  follower.begin(await replicas.liveVersions());
  await reconciler.open();
  const putSecret = (name: string) =>
    secrets.put(name, new SecretValue(`a-secret-of-the-team-${++now}`), 'put').then(() => undefined);
  const daemon = { ...member, registry, reconciler, follower, followed, putSecret };
  daemons.push(daemon);
  return daemon;
}

/** What decides about deliveries: the live webhooks with their secrets, and what each payload starts. */
function describeLive({ registry }: Daemon) {
  const payloads = LEVELS.flatMap((level) => WEBHOOKS.map((shop) => ({ level, shop })));
  const webhooks = [...registry.current().webhooks.values()].map((webhook) => ({
    uid: webhook.uid,
    ref: webhook.ref,
    name: webhook.name,
    revision: webhook.revision,
    pinned: webhook.pinned,
    apply: webhook.listeners.apply,
    listeners: webhook.listeners.size,
    wanted: [...webhook.listeners.wantedHeaders],
    starts: payloads.map((payload) => webhook.listeners.match(received(payload))),
    known: registry.known.find(webhook.uid),
    byRef: registry.findByRef(webhook.ref)?.uid,
  }));
  return webhooks.sort((a, b) => a.ref - b.ref);
}

/** A daemon that starts later does not know deleted webhooks here, because nobody loads their names. */
function describeKnown({ registry }: Daemon, uids: Iterable<string>) {
  const found = Array.from(uids, (uid) => registry.known.find(uid));
  return found.map((known) => (known?.unserved === 'deleted' ? undefined : known));
}

/** The webhooks and automations of a commit. */
const definition = fc.record({
  webhooks: fc.uniqueArray(
    fc.record({ name: fc.constantFrom(...WEBHOOKS), secret: fc.constantFrom(...SECRETS), enabled: fc.boolean() }),
    { selector: ({ name }) => name, minLength: 1 },
  ),
  automations: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom(...AUTOMATIONS),
      enabled: fc.boolean(),
      level: fc.constantFrom(...LEVELS),
      isKeyed: fc.boolean(),
      listensTo: fc.nat(WEBHOOKS.length - 1),
    }),
    { selector: ({ name }) => name },
  ),
});

type Definition = typeof definition extends fc.Arbitrary<infer Value> ? Value : never;

function composeFiles({ webhooks, automations }: Definition): Record<string, string> {
  const files: Record<string, string> = {};
  for (const { name, secret, enabled } of webhooks) {
    files[`webhooks/${name}.yaml`] = `secretName: ${secret}\nenabled: ${enabled}\n`;
  }
  for (const { name, enabled, level, isKeyed, listensTo } of automations) {
    const sender = webhooks[listensTo % webhooks.length]!.name;
    const filter = `{ webhooks: [${sender}], payload: { level: [${level}] } }`;
    const keyed = isKeyed ? 'concurrency: { key: "shop" }\n' : '';
    files[`automations/${name}/automation.md`] =
      `---\nenabled: ${enabled}\n${keyed}triggers:\n  - provider: webhook\n    event: received\n    filter: ${filter}\n---\nWork.\n`;
  }
  return files;
}

type Step =
  | { do: 'commit'; definition: Definition }
  | { do: 'secret'; name: string }
  | { do: 'pin'; by: 0 | 1; webhook: string }
  | { do: 'check'; by: 0 | 1 };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('commit' as const), definition }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('secret' as const), name: fc.constantFrom(...SECRETS) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('pin' as const),
      by: fc.constantFrom(0, 1),
      webhook: fc.constantFrom(...WEBHOOKS),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('check' as const), by: fc.constantFrom(0, 1) }) },
);

async function take(step: Step, [leader, follower]: readonly [Daemon, Daemon]): Promise<void> {
  if (step.do === 'commit') {
    source.commit(composeFiles(step.definition));
    expect((await leader.reconciler.reconcile()).result).toBe('applied');
  } else if (step.do === 'secret') {
    await leader.putSecret(step.name);
  } else if (step.do === 'check') {
    await [leader, follower][step.by]!.follower.check();
  } else {
    await pinNewest([leader, follower][step.by]!, step.webhook);
  }
}

/** As for a secret that a sender supplies. */
async function pinNewest({ storage, reconciler }: Daemon, name: string): Promise<void> {
  await reconciler.betweenPasses(async () => {
    const applied = await storage.inventory.load(FACTORY);
    const webhook = applied?.webhooks.find((each) => each.name === name && each.deletedAt === null);
    if (webhook === undefined) return;
    const { uid, secretName, secretVersion } = webhook;
    const newest = await storage.sealedSecrets.newest(secretName);
    if (newest === null) return;
    await storage.inventory.pinSecret(uid, { from: secretVersion, to: newest.version }, buildAudited(FACTORY, ++now));
  });
}

describe('what a daemon serves that follows another one', () => {
  it('is what the leader serves, and what a new daemon serves, after any sequence of changes', {
    tags: 'full',
  }, async () => {
    const leader = await start('leader');
    const follower = await start('follower');
    for (const name of SECRETS) await leader.putSecret(name);
    const uids = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        for (const step of steps) await take(step, [leader, follower]);
        for (const daemon of [leader, follower]) await daemon.follower.check();
        const fresh = await start('fresh');
        for (const { uid } of (await leader.storage.inventory.load(FACTORY))?.webhooks ?? []) uids.add(uid);
        expect(describeLive(follower)).toEqual(describeLive(fresh));
        expect(describeLive(leader)).toEqual(describeLive(fresh));
        expect(describeKnown(follower, uids)).toEqual(describeKnown(fresh, uids));
        expect(describeKnown(leader, uids)).toEqual(describeKnown(fresh, uids));
        await daemons.pop()!.leave();
      }),
      { numRuns: 40 },
    );
    const partial = follower.followed.filter((followed) => followed !== 'whole');
    expect(partial.length).toBeGreaterThan(10);
  });

  it('follows the change, not the size of the factory, unless too much changed or is not known any more', async () => {
    const leader = await start('leader');
    const follower = await start('follower');
    await leader.putSecret('A');
    const commit = async (count: number, level: string) => {
      const automations = Array.from({ length: count }, (_, i) => ({
        name: `work-${i}`,
        enabled: true,
        level: i === 0 ? level : 'error',
        isKeyed: false,
        listensTo: 0,
      }));
      source.commit(composeFiles({ webhooks: [{ name: 'ci', secret: 'A', enabled: true }], automations }));
      expect(await leader.reconciler.reconcile()).toMatchObject({ result: 'applied' });
    };
    const check = async () => {
      follower.followed.length = 0;
      await follower.follower.check();
      expect(describeLive(follower)).toEqual(describeLive(leader));
      return follower.followed;
    };
    await commit(600, 'error');
    expect(await check()).toEqual(['whole']);
    await commit(600, 'fatal');
    expect(await check()).toEqual([1]);
    await commit(550, 'error');
    expect(await check()).toEqual([1]);
    for (let i = 0; i < 100; i += 1) await commit(2, i % 2 === 0 ? 'fatal' : 'error');
    expect(await check()).toEqual(['whole']);
    await commit(2, 'fatal');
    await commit(3, 'error');
    expect(await check()).toEqual([2]);
  });

  it('is the whole factory after the leader forgot or renamed one', async () => {
    const leader = await start('leader');
    await leader.putSecret('A');
    source.commit(composeFiles({ webhooks: [{ name: 'ci', secret: 'A', enabled: true }], automations: [] }));
    await leader.reconciler.reconcile();
    const { factoryNames, inventory, replicas } = leader.storage;
    const { [FACTORY]: version } = await replicas.liveVersions();
    await inventory.register('shop', ++now);
    await factoryNames.rename({ from: 'nothing', to: FACTORY, isHosted: false, at: ++now });
    expect(await replicas.liveVersions()).toEqual({ [FACTORY]: version });
    await factoryNames.rename({ from: FACTORY, to: 'shop', isHosted: false, at: ++now });
    expect(await replicas.changesSince(FACTORY, version!)).toEqual({ version: version! + 1, change: null });
    expect(await replicas.changesSince('shop', 0)).toEqual({ version: 1, change: null });
    await factoryNames.forget('shop', ++now);
    expect(await replicas.changesSince('shop', 1)).toEqual({ version: 2, change: null });
  });
});
