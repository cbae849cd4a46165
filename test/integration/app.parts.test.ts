import { afterEach, expect, it } from 'vitest';
import { openParts } from '../../src/app/open-daemon-state.ts';
import { composeDaemon } from '../../src/app/start-daemon.ts';
import { createLiveConfig } from '../../src/config/live-config.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import type { Happenings } from '../../src/domain/happenings.ts';
import type { RunId } from '../../src/domain/ids.ts';
import type { DeliveryLogEntry } from '../../src/domain/resources/delivery.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

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
  for (const end of ends.splice(0)) await end();
});

/** All parts of a daemon, before their start, and the errors that they log. */
async function compose() {
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
  };
  const readConfig = () => loadConfig({ file: null, env: {}, overrides });
  const live = createLiveConfig(await readConfig());
  const log = { format: 'json', destination: { write } } as const;
  const opened = openParts(live, { log });
  ends.push(() => opened.parts.stop());
  const { state, health } = await composeDaemon({ live, readConfig, opened }, { configFile: null, env: {}, log });
  const happen = () => {
    for (const kind of Object.keys(SAMPLES) as (keyof Happenings)[]) {
      state.parts.publish(kind, SAMPLES[kind] as never);
      state.parts.receive(kind, SAMPLES[kind] as never);
    }
  };
  return { parts: state.parts, addresses: state.addresses, inventory: health.inventory, errors, happen };
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

it('a daemon that loses the lead in the middle, and takes it again, serves as before', async () => {
  const { parts, addresses, inventory, errors, happen } = await compose();
  await parts.start();
  parts.lead();
  parts.endLead();
  parts.lead();
  happen();
  await expect.poll(async () => (await inventory.factories())[0]?.attemptedAt ?? null).not.toBeNull();
  expect((await fetch(`${addresses.ingress}/readyz`)).status).toBe(200);
  await parts.stop();
  expect(errors).toEqual([]);
});
