import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { type Answer, answer, RECEIVER_SECRET, type RunReceiver, startRunReceiver } from '../helpers/run-receiver.ts';
import { chooseSeed, createSeededRandom } from '../helpers/seeded-random.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

const ROUNDS = 30;
const RUNS_PER_ROUND = 6;
const random = createSeededRandom(chooseSeed());

let receiver: RunReceiver;
let daemon: TestDaemon;
let admin: { port: number };

/** What the receiver did for each idempotency key: the number of executions, and of ends that were accepted. */
const executions = new Map<string, number>();
const ends = new Map<string, number>();

beforeAll(async () => {
  admin = { port: await findFreePort() };
  receiver = await startRunReceiver();
  receiver.script(accept);
  daemon = await startTestDaemon({ config: configure() });
}, 60_000);

afterAll(async () => {
  await receiver.close();
  await daemon.end('SIGKILL');
});

function configure() {
  const executor = {
    type: 'http',
    url: receiver.url,
    secretName: 'RUN_SIGNING',
    mode: 'async',
    allowPrivateAddresses: true,
  };
  return { admin, factories: [{ name: 'ours', source: { type: 'live' }, runs: { executor, concurrency: 8 } }] };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

/** Executes each key once. Answers with 202, sometimes only after the first report. */
const accept: Answer = (response, taken) => {
  const key = taken.headers['idempotency-key'] as string;
  if (!executions.has(key)) void execute(key, taken.body.report);
  setTimeout(() => answer(202)(response, taken), random.integer(0, 120));
};

async function execute(key: string, report: { url: string; token: string; fence: number }): Promise<void> {
  executions.set(key, (executions.get(key) ?? 0) + 1);
  await pause(random.integer(0, 400));
  await send(report, 'heartbeat', { progress: { percent: 50 } });
  await pause(random.integer(0, 400));
  const status = await send(report, 'complete', { state: 'succeeded', log: `${key}\n` });
  if (status === 200) ends.set(key, (ends.get(key) ?? 0) + 1);
}

/** Repeats a report until it has an answer that is not 503. */
async function send(report: { url: string; token: string; fence: number }, what: string, body: object) {
  for (;;) {
    const headers = { authorization: `Bearer ${report.token}`, 'content-type': 'application/json' };
    const text = JSON.stringify({ fence: report.fence, ...body });
    const sent = await fetch(`${report.url}/${what}`, { method: 'POST', headers, body: text }).catch(() => null);
    if (sent !== null && sent.status !== 503) return sent.status;
    await pause(100);
  }
}

it(`each run of a receiver ends once, over ${ROUNDS} kills of the daemon`, { timeout: 600_000 }, async () => {
  const post = (path: string, body: unknown) => daemon.api(path, { method: 'POST', body });
  const { uid, secret } = (await post('/factories/ours/webhooks', { name: 'ci' })).body;
  const trigger = { provider: 'webhook', event: 'received', filter: { webhooks: ['ci'] } };
  await post('/factories/ours/automations', { name: 'triage', prompt: 'Look.', triggers: [trigger] });
  await daemon.api('/secrets/RUN_SIGNING', { method: 'PUT', body: { value: RECEIVER_SECRET } });
  let accepted = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const sends = Array.from({ length: RUNS_PER_ROUND }, async (_, n) => {
      const body = JSON.stringify({ round, n });
      const headers = { authorization: `Bearer ${secret}` };
      const url = `${daemon.ingressUrl}/webhooks/w/${uid}`;
      if ((await fetch(url, { method: 'POST', headers, body })).status === 202) accepted++;
    });
    await Promise.all(sends);
    await pause(random.integer(0, 500));
    await daemon.end('SIGKILL');
    daemon = await startTestDaemon({ config: configure(), dataDir: daemon.dataDir });
  }
  const listRuns = async () => {
    const runs = [];
    for (let cursor = ''; ; ) {
      const { data, next_cursor } = (await daemon.api(`/factories/ours/runs?limit=200${cursor}`)).body;
      runs.push(...data);
      if (next_cursor === null) return runs;
      cursor = `&cursor=${encodeURIComponent(next_cursor)}`;
    }
  };
  const runs = await eventually(async () => {
    const listed = await listRuns();
    return listed.every(({ state }) => state !== 'queued' && state !== 'running') && listed;
  }, 120_000);
  expect(accepted).toBe(ROUNDS * RUNS_PER_ROUND);
  expect(runs).toHaveLength(accepted);
  const wrong = runs.filter(({ state, attempts }) => state !== 'succeeded' || attempts.length !== 1);
  expect(wrong.map(({ id, state, error }) => ({ id, state, error }))).toEqual([]);
  const keys = runs.map(({ id }) => `${id}-1`).toSorted();
  expect([...executions.keys()].toSorted()).toEqual(keys);
  expect([...ends.keys()].toSorted()).toEqual(keys);
  for (const { id } of runs.slice(0, 20)) expect((await daemon.api(`/runs/${id}/log`)).body).toContain(`${id}-1\n`);
});
