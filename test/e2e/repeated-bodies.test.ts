import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { TestReplicas } from '../helpers/replicas.ts';
import { startPostgres, withClient } from '../helpers/start-postgres.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from '../helpers/test-daemon.ts';

const SECRET = 'lin_wh_example_secret_0001';
const FILES = {
  'webhooks/linear.yaml': 'authMode: signature\nsignatureScheme: linear\nsecretName: LINEAR\n',
  'automations/triage/automation.md':
    '---\ntriggers:\n  - {provider: webhook, event: received, filter: {webhooks: [linear]}}\n---\nTriage.\n',
};
const BODIES = 8;
const KILLS = 3;

/** When Linear sent the first attempts. */
const signedAt = Date.now();

let repo: TempGitRepo;
let options: TestDaemonOptions;
let daemon: TestDaemon;
let uid: string;

beforeAll(async () => {
  repo = await createTempGitRepo();
  await repo.commit(FILES);
  const runs = { executor: { type: 'queue' } };
  options = { config: { factories: [{ name: 'payments', source: { type: 'repository', url: repo.path }, runs }] } };
  daemon = await startTestDaemon(options);
  await daemon.cli('secret', 'create', 'LINEAR', '--value', SECRET, '--all-factories');
  uid = (await eventually(async () => (await daemon.api('/factories/payments/webhooks')).body.data[0])).uid;
});

afterAll(async () => {
  await daemon?.end('SIGKILL');
  repo?.remove();
});

/** Posts a body of Linear under an ID that nobody signed. */
async function post(
  n: number,
  round: number,
  id: string = randomUUID(),
  { ingressUrl }: Pick<TestDaemon, 'ingressUrl'> = daemon,
): Promise<number> {
  const body = JSON.stringify({ type: 'Issue', action: 'create', data: { n, round }, webhookTimestamp: signedAt });
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  const headers = { 'Linear-Signature': signature, 'Linear-Delivery': id };
  const answer = await fetch(`${ingressUrl}/webhooks/w/${uid}`, { method: 'POST', headers, body });
  return answer.status;
}

const list = async (path: string) => (await daemon.api(`/factories/payments/${path}`)).body.data;

it('shows a repeated body with another ID as a duplicate of the accepted delivery', { tags: 'full' }, async () => {
  for (const id of ['first', 'changed']) expect(await post(0, -1, id)).toBe(200);
  const [duplicate, accepted] = await list('deliveries');
  expect([accepted.label, accepted.runs.length]).toEqual(['Accepted', 1]);
  expect(duplicate).toMatchObject({
    label: 'Duplicate',
    reason: 'same_identity',
    detail: 'the delivery ID of the request is changed',
    delivery_id_source: 'body_hash',
    duplicate_of: accepted.id,
  });
  expect((await daemon.cli('why', duplicate.id)).stdout).toContain(`Duplicate of ${accepted.id}: it started nothing.`);
});

it('starts one run for each body, also with other IDs at the same moment and after a kill', {
  tags: 'full',
}, async () => {
  const { length: before } = await list('runs?limit=100');
  for (let round = 0; round < KILLS; round += 1) {
    const posted = Array.from({ length: 4 * BODIES }, (_, index) => post(index % BODIES, round));
    // At least one is stored. Of the others, some are, and some are lost with the process.
    expect(await Promise.any(posted)).toBe(200);
    await daemon.end('SIGKILL');
    await Promise.allSettled(posted);
    daemon = await startTestDaemon({ ...options, dataDir: daemon.dataDir });
    for (let n = 0; n < BODIES; n += 1) expect(await post(n, round)).toBe(200);
  }
  expect(await list('deliveries?label=Accepted&limit=100')).toHaveLength(before + KILLS * BODIES);
  const runs: { delivery: string }[] = await list('runs?limit=100');
  expect(runs).toHaveLength(before + KILLS * BODIES);
  expect(new Set(runs.map(({ delivery }) => delivery)).size).toBe(runs.length);
});

it('starts one run for each body at two daemons on PostgreSQL, of which one is killed under load', {
  tags: 'full',
}, async () => {
  const server = await startPostgres();
  const url = await server.createDatabase('bodies');
  const replicas = new TestReplicas(url, options);
  let [killed, other] = [await replicas.start(), await replicas.start()];
  await killed.cli('secret', 'create', 'LINEAR', '--value', SECRET, '--all-factories');
  const live = async (at: TestDaemon) => (await at.api('/factories/payments/webhooks')).body.data?.[0]?.uid;
  uid = await eventually(() => live(killed));
  await eventually(async () => (await post(0, 0, 'first', other)) === 200);
  for (let round = 1; round <= KILLS; round += 1) {
    // Each body arrives at both, each time under another ID.
    const posted = Array.from({ length: 4 * BODIES }, (_, index) =>
      post(index % BODIES, round, randomUUID(), index % 8 < 4 === index < 2 * BODIES ? killed : other),
    );
    expect(await Promise.any(posted)).toBe(200);
    await killed.end('SIGKILL');
    // The other one accepts while it has no leader.
    await Promise.allSettled(posted);
    const restarted = await replicas.start(killed.dataDir);
    for (let n = 0; n < BODIES; n += 1) {
      for (const at of [restarted, other]) expect(await eventually(() => post(n, round, randomUUID(), at))).toBe(200);
    }
    [killed, other] = [other, restarted];
  }
  const stored = await withClient(url, async (client) => {
    const accepted = await client.query('SELECT id FROM deliveries WHERE label = 0');
    const runs = await client.query('SELECT delivery FROM runs');
    return { accepted: accepted.rows, runs: runs.rows };
  });
  expect(stored.accepted).toHaveLength(1 + KILLS * BODIES);
  expect(stored.runs).toHaveLength(1 + KILLS * BODIES);
  for (const at of [killed, other]) await at.end('SIGTERM');
  await server.remove();
});
