import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
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
async function post(n: number, round: number, id: string = randomUUID()): Promise<number> {
  const body = JSON.stringify({ type: 'Issue', action: 'create', data: { n, round }, webhookTimestamp: signedAt });
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  const headers = { 'Linear-Signature': signature, 'Linear-Delivery': id };
  const answer = await fetch(`${daemon.ingressUrl}/webhooks/w/${uid}`, { method: 'POST', headers, body });
  return answer.status;
}

const list = async (path: string) => (await daemon.api(`/factories/payments/${path}`)).body.data;

it('shows a repeated body with another ID as a duplicate of the accepted delivery', async () => {
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
  tags: 'long',
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
