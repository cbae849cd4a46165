import { AsyncLocalStorage } from 'node:async_hooks';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { openParts } from '../../src/app/open-daemon-state.ts';
import type { Reload } from '../../src/app/reload.ts';
import { composeDaemon } from '../../src/app/start-daemon.ts';
import { createLiveConfig } from '../../src/config/live-config.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { Handlers, Happenings } from '../../src/domain/happenings.ts';
import type { RunId, WebhookUid } from '../../src/domain/ids.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Part } from '../../src/domain/part.ts';
import type { WaitingRun } from '../../src/domain/ports/run-control.ts';
import type { DeliveryLogEntry } from '../../src/domain/resources/delivery.ts';
import type { Replay } from '../../src/domain/resources/replay.ts';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import { Loop } from '../../src/platform/loop.ts';
import type { Parts } from '../../src/platform/parts.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { claimOrder } from '../helpers/worker-claims.ts';

const FACTORY = 'idle';
/** Each happening with values that name nothing that exists. */
const SAMPLES: Happenings = {
  deliveryRecorded: {
    entry: { kind: 'rejection', id: 'dlv_x', label: null, webhook: 99, count: 1 } as unknown as DeliveryLogEntry,
    outcome: { label: 'Accepted' },
  },
  deliveriesRecordedElsewhere: { deliveries: null },
  requestsNotAcceptedElsewhere: { of: 'rejected', counts: [['99', 1]] },
  runsCreated: { factory: FACTORY, runs: [{ concurrencyKey: 'a' }] },
  slotFreed: { factory: FACTORY },
  runsChanged: { runs: ['run_00000000000000000000000001' as RunId] },
  cancelOrdered: { run: 'run_00000000000000000000000001' as RunId },
  secretStored: { name: 'KEY' },
  secretChanged: { name: 'KEY' },
  definitionApplied: { factory: FACTORY, version: 1 },
  schedulesChanged: { factory: FACTORY, automations: [], deleted: [], isWhole: true },
  factoryRemoved: { factory: 'forgotten' },
  reconciled: {
    factory: FACTORY,
    result: 'failed',
    reason: 'RepositoryUnreachable',
    message: 'no connection',
    revision: null,
  } as unknown as Happenings['reconciled'],
  pushReceived: { factory: FACTORY, trace: null },
  pullRequestsHinted: { factory: FACTORY },
  pullRequestsChanged: { factory: FACTORY },
  requestsAdmittedElsewhere: { of: 'deliveries', counts: [['wh_x', 1]] },
  probeNoted: { kind: 'probe', uid: 'wh_x' },
  messagesLost: {},
};

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const end of ends.splice(0)) await end();
});

/** All parts of a daemon, before their start, and the errors that they log. */
async function compose(config: JsonObject = {}) {
  const errors: object[] = [];
  const write = (line: string) => {
    const entry = JSON.parse(line) as { level: string };
    if (entry.level === 'error') errors.push(entry);
  };
  const overrides = {
    dataDir: createTempDir('parts'),
    ingress: { port: 0 },
    admin: { port: 0 },
    factories: [{ name: FACTORY, source: { type: 'live' } }],
    ...config,
  };
  const readConfig = () => loadConfig({ file: null, env: {}, overrides });
  const live = createLiveConfig(await readConfig());
  const log = { format: 'json', destination: { write } } as const;
  const opened = openParts(live, { log });
  ends.push(() => opened.parts.stop());
  const led = followLeads(opened.parts);
  const { state, definitions, dispatcher } = await composeDaemon(
    { live, readConfig, opened },
    { configFile: null, env: {}, log },
  );
  const happen = () => {
    for (const kind of Object.keys(SAMPLES) as (keyof Happenings)[]) {
      state.parts.publish(kind, SAMPLES[kind] as never);
      state.parts.receive(kind, SAMPLES[kind] as never);
    }
  };
  const { parts, addresses, storage } = state;
  return { parts, addresses, storage, definitions, dispatcher, led, errors, happen };
}

it('what happens before the start and after the stop disturbs no part, and starts none', async () => {
  const { parts, addresses, errors, happen } = await compose();
  happen();
  expect(addresses).toEqual({ ingress: '', admin: '' });
  await parts.start();
  happen();
  await parts.stop();
  happen();
  expect(errors).toEqual([]);
});

it('all parts stop without a start, and a second time', async () => {
  const { parts, errors } = await compose();
  await Promise.all([parts.stop(), parts.stop()]);
  await parts.stop();
  expect(errors).toEqual([]);
});

it('all parts stop while they start', async () => {
  const { parts, addresses, errors } = await compose();
  const started = parts.start();
  await parts.stop();
  await started;
  expect(errors).toEqual([]);
  for (const url of Object.values(addresses).filter((one) => one !== ''))
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

/** The loops that each part with a lead has started in its terms, and the parts whose work for all is no loop. */
function followLeads(parts: Parts<Reload>) {
  const leading = new AsyncLocalStorage<string>();
  const loops = new Map<string, Set<Loop>>();
  const add = parts.add.bind(parts);
  vi.spyOn(parts, 'add').mockImplementation((...added: readonly Part<Reload>[]) => {
    for (const part of added) {
      const lead = part.lead?.bind(part);
      if (lead === undefined) continue;
      loops.set(part.name, new Set());
      part.lead = (term) => leading.run(part.name, () => lead(term));
    }
    add(...added);
  });
  const { start } = Loop.prototype;
  vi.spyOn(Loop.prototype, 'start').mockImplementation(function (this: Loop, ...how) {
    loops.get(leading.getStore() ?? '')?.add(this);
    start.apply(this, how);
  });
  return {
    loops: () => [...loops.values()].flatMap((ofPart) => [...ofPart]),
    running: () => [...loops].filter(([, [...some]]) => some.some(({ isRunning }) => isRunning)).map(([name]) => name),
    others: () => [...loops].filter(([, { size }]) => size === 0).map(([name]) => name),
  };
}

/** A host that takes each request, and never responds. */
async function startSilentHost() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

/** Work for every part that does something only while it leads. Each request to the host stays in progress. */
function occupy(url: string): JsonObject {
  const host = { type: 'github', url, secretName: 'TOKEN', allowPrivateAddresses: true };
  const source = { type: 'repository', url: `${url}/team/factory.git`, pollInterval: '1s' };
  const target = { name: 'ops', type: 'webhook', url, secretName: 'TOKEN', allowPrivateAddresses: true };
  return {
    factories: [
      { name: FACTORY, source: { type: 'live' } },
      { name: 'busy', source, notify: [host], pullRequests: host },
    ],
    alerts: { targets: [target] },
  };
}

const WAITING: WaitingRun = {
  factory: FACTORY,
  automation: 'fix-errors',
  attempt: 1,
  gate: null,
  notBefore: null,
  concurrencyKey: null,
  runsOn: null,
};

/** The parts whose work for all daemons is done in loops. */
const LOOPING = ['alerts', 'housekeeping', 'notifications', 'pull requests', 'replays', 'schedules'];

it('all parts end what they do for all with the term, in the middle of it, and continue in the next term', async () => {
  const { url, sockets } = await startSilentHost();
  const { parts, addresses, storage, definitions, dispatcher, led, errors, happen } = await compose(occupy(url));
  const group = { isLeader: true };
  const { control, adoptSecret } = definitions.reconciling;
  const unknown = { factory: FACTORY, uid: 'wh_x' as WebhookUid };
  const adopt = () => adoptSecret(unknown, new SecretValue('a')).catch(() => null);
  const claim = () => dispatcher.workers.claim(claimOrder({ factories: [FACTORY] }));
  let passes = 0;
  const count: Handlers['reconciled'] = ({ factory }) => {
    if (factory === FACTORY) passes += 1;
  };
  parts.add({ name: 'counter', on: { reconciled: count } });
  parts.join({ group, publish: () => {} });
  // A replay that retries its step.
  vi.spyOn(storage.replays, 'open').mockResolvedValue([
    { id: 'rpl_x', factory: FACTORY, rate: 1, filter: {} } as unknown as Replay,
  ]);
  vi.spyOn(storage.replays, 'read').mockRejectedValue(new AppError('storage_unavailable', 'the disk is full'));
  await parts.start();
  for (const _term of ['first', 'second']) {
    group.isLeader = true;
    parts.lead();
    await expect.poll(() => led.running().sort()).toEqual(LOOPING);
    await expect.poll(claim).toEqual([]);
    await expect.poll(() => dispatcher.explainWait(WAITING).reason).not.toBe('recovering');
    // The thread of the last term may still end. Its callers are asked to repeat the request.
    const reconcile = () => control.reconcileNow(FACTORY).catch(() => null);
    await expect.poll(reconcile).toMatchObject({ result: 'unchanged' });
    await expect.poll(() => sockets.size).toBeGreaterThan(0);
    const pass = control.reconcileNow('busy');

    group.isLeader = false;
    parts.endLead();
    expect(led.running()).toEqual([]);
    await expect(pass).rejects.toMatchObject({ code: 'not_leading' });
    await expect(claim()).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(dispatcher.explainWait(WAITING).reason).toBe('recovering');
    happen();
    await Promise.all(led.loops().map((loop) => loop.settled()));
    // The thread of definitions starts again without its loops: a pass would come before this answer.
    const before = passes;
    await expect.poll(adopt).toMatchObject({ ok: false });
    expect([led.running(), passes]).toEqual([[], before]);
    expect((await fetch(`${addresses.ingress}/readyz`)).status).toBe(200);
  }
  // The last one leads nothing.
  expect(led.others().sort()).toEqual(['definitions', 'runs', 'warnings of tokens']);
  await parts.stop();
  expect(errors).toEqual([]);
});
