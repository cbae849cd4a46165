import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import { createSecretAdoption } from '../../src/reconcile/edit/adopt-secret.ts';
import { ids } from '../helpers/build-offer.ts';
import { createReconcileWorld, FACTORY, type ReconcileWorld } from '../helpers/reconcile-world.ts';

const PLACEHOLDER = 'awaiting-x-hook-secret';
const SUPPLIED = 'b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81';
const ASANA = 'authMode: signature\nsignatureScheme: asana\nsecretName: ASANA\n';

let world: ReconcileWorld;
beforeEach(async () => {
  world = await createReconcileWorld();
});
afterEach(() => world.close());

async function applyAsana(files: Record<string, string> = {}): Promise<void> {
  await world.put('ASANA', PLACEHOLDER);
  world.source.commit({ 'webhooks/asana.yaml': ASANA, ...files });
  expect((await world.pass()).result).toBe('applied');
}

/** As the daemon does when an `X-Hook-Secret` arrives. */
function adopt(value = SUPPLIED, name = 'asana') {
  const { storage, secrets, reconciler } = world;
  const { inventory } = storage;
  const take = createSecretAdoption({
    inventory: storage.inventoryReader,
    pins: inventory,
    secrets,
    betweenPasses: (_factory, work) => reconciler.betweenPasses(work),
    serve: () => reconciler.serve(),
    clock: { wallMs: () => ++world.now },
    ids,
  });
  return take(world.live(name)!, new SecretValue(value));
}

const pinned = async () => {
  const webhook = (await world.storage.inventory.load(FACTORY))!.webhooks.find(({ name }) => name === 'asana')!;
  return (await world.secrets.open(webhook.secretName, webhook.secretVersion))?.reveal();
};

function waitsForSecret(): boolean {
  const [handshake] = world.live('asana')!.handshakes;
  const headers = { get: (name: string) => (name === 'x-hook-secret' ? SUPPLIED : undefined) };
  const probeRequest = { query: '', headers, body: new Uint8Array(), payload: undefined, deliveriesPerMinute: 60 };
  return handshake!.respond(probeRequest)?.do === 'adopt';
}

describe('a secret that the provider supplies', () => {
  it('replaces the placeholder: stored, pinned and live, and kept by the next apply and the next start', async () => {
    await applyAsana();
    expect(waitsForSecret()).toBe(true);
    expect(await adopt()).toEqual({ ok: true });
    expect(await pinned()).toBe(SUPPLIED);
    expect(await world.secrets.find('ASANA')).toMatchObject({ version: 2 });
    expect(waitsForSecret()).toBe(false);

    world.source.commit({ 'webhooks/asana.yaml': `${ASANA}description: Tasks\n` });
    expect((await world.pass()).plan.webhooks.update[0]?.changes.map(({ key }) => key)).toEqual(['description']);
    expect(await pinned()).toBe(SUPPLIED);
    world = await world.restart();
    expect(waitsForSecret()).toBe(false);
  });

  it('is accepted once: one of two concurrent secrets, and none later', async () => {
    await applyAsana();
    const outcomes = await Promise.all([adopt('a'.repeat(32)), adopt('b'.repeat(32))]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false]);
    expect(await adopt('c'.repeat(32))).toMatchObject({ ok: false, detail: expect.stringContaining('already') });
    expect(await pinned()).toBe('a'.repeat(32));
  });

  it('waits for a running reconciliation, which cannot pin the placeholder again', async () => {
    await applyAsana();
    const release = world.source.hold();
    world.source.commit({ 'webhooks/asana.yaml': `${ASANA}description: Tasks\n` });
    const pass = world.reconciler.reconcile();
    const adoption = adopt();
    release();
    expect([(await pass).result, await adoption]).toEqual(['applied', { ok: true }]);
    expect(await pinned()).toBe(SUPPLIED);
  });

  it('is rejected if the team has stored another value, shares the secret, or the webhook was deleted', async () => {
    await applyAsana();
    await world.put('ASANA', 'a value of the team, 32 characters');
    expect(await adopt()).toMatchObject({ ok: false, detail: expect.stringContaining('waits for the next apply') });
    expect(await world.secrets.find('ASANA')).toMatchObject({ version: 2 });

    await applyAsana({ 'webhooks/twin.yaml': ASANA });
    expect(await adopt()).toMatchObject({ ok: false, detail: expect.stringContaining('other webhooks') });

    const stale = world.live('asana')!;
    world.source.commit({ 'webhooks/twin.yaml': ASANA });
    await world.pass();
    world.registry.replaceFactory(FACTORY, [stale]);
    expect(await adopt()).toMatchObject({ ok: false, detail: expect.stringContaining('was deleted') });
  });

  it('can be replaced by the placeholder again', async () => {
    await applyAsana();
    await adopt();
    await world.put('ASANA', PLACEHOLDER);
    world.source.commit({ 'webhooks/asana.yaml': `${ASANA}description: again\n` });
    await world.pass();
    expect(await adopt('d'.repeat(32))).toEqual({ ok: true });
    expect(await pinned()).toBe('d'.repeat(32));
  });
});

describe('a verify token', () => {
  const META = 'authMode: signature\nsignatureScheme: meta\nsecretName: APP\nverifyTokenSecretName: TOKEN\n';
  const probe = (token: string) => {
    const query = `hub.mode=subscribe&hub.challenge=1&hub.verify_token=${token}`;
    const headers = { get: () => undefined };
    const probeRequest = { query, headers, body: new Uint8Array(), payload: undefined, deliveriesPerMinute: 60 };
    return world.live('meta')?.handshakes[0]?.respond(probeRequest)?.do;
  };

  it('is pinned by the apply like the secret, and live after a start', async () => {
    await world.put('APP', 'app-secret-0123456789');
    world.source.commit({ 'webhooks/meta.yaml': META });
    expect(await world.pass()).toMatchObject({
      result: 'failed',
      reason: 'SecretMissing',
      diagnostics: [{ rule: 'secret/missing', path: 'verifyTokenSecretName', line: 4 }],
    });
    await world.put('TOKEN', 'first');
    await world.pass();
    expect([probe('first'), probe('second')]).toEqual(['answer', 'reject']);

    await world.put('TOKEN', 'second');
    world = await world.restart();
    expect([probe('first'), probe('second')]).toEqual(['answer', 'reject']);
    world.source.commit({ 'webhooks/meta.yaml': `${META}description: x\n` });
    const { plan } = await world.pass();
    expect(plan.webhooks.update[0]?.changes).toContainEqual({ key: 'verifyTokenSecretVersion', from: 1, to: 2 });
    expect([probe('first'), probe('second')]).toEqual(['reject', 'answer']);
    await expect(world.secrets.delete('TOKEN', { force: false })).rejects.toMatchObject({ code: 'secret_in_use' });
  });

  it.each(['signatureScheme: github\nauthMode: signature', 'authMode: token'])(
    'is rejected on a webhook whose sender presents none (%s)',
    async (mode) => {
      world.source.commit({ 'webhooks/meta.yaml': `${mode}\nsecretName: APP\nverifyTokenSecretName: TOKEN\n` });
      const { result, diagnostics } = await world.pass();
      expect(result).toBe('invalid');
      expect(diagnostics.map(({ rule, path }) => [rule, path])).toEqual([
        ['webhook/unused-verify-token', 'verifyTokenSecretName'],
      ]);
    },
  );
});
