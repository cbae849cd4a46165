import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import {
  type Answer,
  answer,
  hangUp,
  RECEIVER_SECRET,
  type RunReceiver,
  startRunReceiver,
} from '../helpers/run-receiver.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

const ACCEPTED = answer(202);

let receiver: RunReceiver;
let daemon: TestDaemon;
let sender: { uid: string; secret: string };

beforeAll(async () => {
  receiver = await startRunReceiver();
  await start();
  const automation = {
    name: 'triage',
    prompt: 'Say what broke.',
    triggers: [{ provider: 'webhook', event: 'received', filter: { webhooks: ['ci'] } }],
  };
  sender = (await post('/factories/ours/webhooks', { name: 'ci' })).body;
  expect((await post('/factories/ours/automations', automation)).status).toBe(201);
  const created = await daemon.api('/secrets/RUN_SIGNING', { method: 'PUT', body: { value: RECEIVER_SECRET } });
  expect(created.status).toBe(201);
}, 60_000);

afterAll(async () => {
  await receiver.close();
  expect(await daemon.end('SIGTERM')).toBe(0);
});

beforeEach(() => {
  receiver.taken.length = 0;
  receiver.script(ACCEPTED);
});

/** Starts a daemon, or the next one on the same data. */
async function start(runs: Record<string, unknown> = {}): Promise<void> {
  const executor = {
    type: 'http',
    url: receiver.url,
    secretName: 'RUN_SIGNING',
    mode: 'async',
    allowPrivateAddresses: true,
    ...runs,
  };
  const config = { factories: [{ name: 'ours', source: { type: 'live' }, runs: { executor, concurrency: 2 } }] };
  daemon = await startTestDaemon({ config, ...(daemon === undefined ? {} : { dataDir: daemon.dataDir }) });
}

const post = (path: string, body: unknown, token?: string) =>
  daemon.api(path, { method: 'POST', body, ...(token === undefined ? {} : { token }) });
const readRun = async (id: string) => (await daemon.api(`/runs/${id}`)).body;
const readLog = async (id: string) => (await daemon.api(`/runs/${id}/log`)).body;

interface Report {
  url: string;
  token: string;
  fence: number;
  deadline: string;
}

/** A delivery. Resolves with its run, and the access in the request that the receiver took. */
async function deliver({ uid, secret } = sender): Promise<{ id: string; report: Report }> {
  const before = takenRuns().length;
  const headers = { authorization: `Bearer ${secret}` };
  const body = JSON.stringify({ step: 'lint', n: Math.random() });
  const answered = await fetch(`${daemon.ingressUrl}/webhooks/w/${uid}`, { method: 'POST', headers, body });
  expect(answered.status).toBe(202);
  const { body: sent } = await eventually(() => takenRuns()[before]);
  return { id: sent.run.id, report: sent.report };
}

/** The requests that are not cancellation notifications. */
const takenRuns = () => receiver.taken.filter(({ body }) => body.type === undefined);
const takenNotifications = () => receiver.taken.filter(({ body }) => body.type === 'run.cancelled');

const beat = ({ url, token, fence }: Report, body: object = {}) =>
  post(`/runs/${url.split('/').at(-1)}/heartbeat`, { fence, ...body }, token);
const complete = ({ url, token, fence }: Report, body: object) =>
  post(`/runs/${url.split('/').at(-1)}/complete`, { fence, ...body }, token);

describe('executor http with mode async', { timeout: 120_000 }, () => {
  it('shows progress and log of an accepted run, and ends it once', async () => {
    const { id, report } = await deliver();
    expect(report).toMatchObject({ url: `${daemon.adminUrl}/api/v1/runs/${id}`, fence: 1 });
    await eventually(async () => (await readRun(id)).attempts[0].held_until !== null);
    const progress = { percent: 40, text: 'running the tests' };
    const beaten = await beat(report, { log: 'half way\n', progress });
    expect([beaten.status, beaten.body.lease_expires_at.slice(0, 18)]).toEqual([200, report.deadline.slice(0, 18)]);
    await beat(report, { log: 'nearly\n' });
    expect(await readRun(id)).toMatchObject({
      state: 'running',
      executor: 'http',
      attempts: [{ number: 1, progress, held_until: report.deadline }],
    });
    const hidden = `${RECEIVER_SECRET} ${report.token}`;
    await beat(report, { log: `${hidden}\n`, progress: { text: hidden } });
    const masked = '[redacted] [redacted]';
    expect((await readRun(id)).attempts[0].progress).toEqual({ percent: null, text: masked });
    const end = { state: 'failed', exit_code: 3, log: 'done\n' };
    expect((await complete(report, end)).body).toMatchObject({ id, state: 'failed' });
    // The answer may have been lost.
    expect((await complete(report, { ...end, log: '' })).status).toBe(200);
    expect((await complete(report, { state: 'succeeded' })).status).toBe(409);
    const run = await readRun(id);
    expect(run).toMatchObject({ state: 'failed', error: 'exit code 3', exit_code: 3 });
    expect(run.attempts).toMatchObject([{ reason: 'exit_code', reason_text: 'The receiver reported exit code 3.' }]);
    expect(await readLog(id)).toBe(`half way\nnearly\n${masked}\ndone\n`);
    expect(receiver.taken).toHaveLength(1);
  });

  it('gives the receiver a token for its attempt and for nothing else, stored as a hash', {
    tags: 'full',
  }, async () => {
    const [{ id, report }, other] = [await deliver(), await deliver()];
    const { token } = report;
    const statuses = async (paths: [method: string, path: string, body?: unknown][]) =>
      Promise.all(paths.map(async ([method, path, body]) => (await daemon.api(path, { method, body, token })).status));
    expect(
      await statuses([
        ['GET', `/runs/${id}`],
        ['GET', `/runs/${other.id}`],
        ['GET', `/runs/${id}/log`],
        ['GET', `/runs/${id}/input`],
        ['POST', `/runs/${id}/cancel`],
        ['POST', `/runs/${id}/retry`],
        ['POST', '/runs/claim', {}],
        ['POST', `/runs/${id}/start`, { fence: 1 }],
        ['POST', `/runs/${id}/hand-back`, { fence: 1 }],
        ['POST', `/runs/${other.id}/complete`, { fence: 1, state: 'failed' }],
        ['POST', `/runs/${id}/complete`, { fence: 2, state: 'failed' }],
        ['GET', '/factories'],
        ['GET', '/factories/ours/runs'],
        ['PUT', '/secrets/RUN_SIGNING', { value: RECEIVER_SECRET }],
        ['POST', '/tokens', { name: 'x', role: 'owner' }],
      ]),
    ).toEqual([200, ...Array(14).fill(403)]);
    const changed = `dbr_${token.slice(4).split('').toReversed().join('')}`;
    expect((await daemon.api(`/runs/${id}`, { token: changed })).status).toBe(401);
    for (const each of [report, other.report]) expect((await complete(each, { state: 'succeeded' })).status).toBe(200);
    expect((await daemon.api(`/runs/${id}`, { token })).status).toBe(404);
    const db = new Database(join(daemon.dataDir, 'dockbell.db'), { readonly: true });
    const stored = db.prepare('SELECT hash FROM run_tokens').pluck().all() as Buffer[];
    db.close();
    expect(stored.map((hash) => hash.toString('hex'))).toContain(createHash('sha256').update(token).digest('hex'));
    expect(readFileSync(join(daemon.dataDir, 'dockbell.db')).includes(token)).toBe(false);
    expect(daemon.output()).not.toContain(token);
  });

  it('keeps an accepted run over kill -9 and over a stop, and sends no second request', { tags: 'full' }, async () => {
    const { id, report } = await deliver();
    await eventually(async () => (await readRun(id)).attempts[0].held_until !== null);
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      await daemon.end(signal);
      await start();
      expect((await readRun(id)).state).toBe('running');
      await eventually(async () => (await beat(report, { log: `${signal}\n` })).status === 200);
    }
    expect((await complete(report, { state: 'succeeded' })).status).toBe(200);
    expect(await readRun(id)).toMatchObject({ state: 'succeeded', attempts: [{ held_until: report.deadline }] });
    expect(await readLog(id)).toBe('SIGKILL\nSIGTERM\n');
    expect(receiver.taken).toHaveLength(1);
  });

  it('accepts a report as the answer, before the response and if the response was lost', { tags: 'full' }, async () => {
    const early: Answer = (response, { body }) => {
      void complete(body.report, { state: 'succeeded', log: 'quick\n' }).then(() =>
        ACCEPTED(response, { headers: {}, text: '', body }),
      );
    };
    receiver.script(early);
    const { id } = await deliver();
    await eventually(async () => (await readRun(id)).state === 'succeeded');
    expect(await readLog(id)).toBe('quick\n');
    receiver.script(hangUp);
    const lost = await deliver();
    await eventually(async () => (await beat(lost.report)).status === 200);
    const requests = receiver.taken.length;
    expect((await complete(lost.report, { state: 'succeeded' })).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect([(await readRun(lost.id)).state, receiver.taken.length]).toEqual(['succeeded', requests]);
  });

  it('sends an unanswered request again after kill -9, and accepts reports with both tokens', {
    tags: 'full',
  }, async () => {
    receiver.script(() => undefined);
    const { id, report: first } = await deliver();
    await daemon.end('SIGKILL');
    receiver.script(ACCEPTED);
    await start();
    const { report: second } = (await eventually(() => receiver.taken[1])).body;
    expect(second.token).not.toBe(first.token);
    await eventually(async () => (await readRun(id)).attempts[0].held_until !== null);
    expect([(await beat(first)).status, (await beat(second)).status]).toEqual([200, 200]);
    expect((await complete(first, { state: 'succeeded' })).status).toBe(200);
    expect(receiver.taken.map(({ headers }) => headers['idempotency-key'])).toEqual([`${id}-1`, `${id}-1`]);
  });

  it('answers 409 with the state after a cancel, and starts the next run', { tags: 'full' }, async () => {
    const [first, second] = [await deliver(), await deliver()];
    const third = deliver();
    await eventually(async () => (await readRun(first.id)).attempts[0].held_until !== null);
    expect((await post(`/runs/${first.id}/cancel`, undefined)).body.state).toBe('cancelled');
    expect(await beat(first.report)).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: 'The run has ended as cancelled. Stop working on it.' },
    });
    const { report } = await third;
    const [notification] = await eventually(() => takenNotifications().length > 0 && takenNotifications());
    expect(notification!.body.data).toEqual({ run: first.id, attempt: 1, factory: 'ours', automation: 'triage' });
    expect(notification!.headers['idempotency-key']).toBe(`${first.id}-1-cancelled`);
    for (const each of [second.report, report]) await complete(each, { state: 'succeeded' });
  });

  it('notifies the receiver of a run that a newer one supersedes, and ends it although the receiver takes no notification', {
    tags: 'full',
  }, async () => {
    const automation = {
      name: 'review',
      prompt: 'Review it.',
      triggers: [{ provider: 'webhook', event: 'received', filter: { webhooks: ['pulls'] } }],
      concurrency: { mode: 'latest', cancelRunning: true },
    };
    const pulls = (await post('/factories/ours/webhooks', { name: 'pulls' })).body;
    expect((await post('/factories/ours/automations', automation)).status).toBe(201);
    const first = await deliver(pulls);
    await eventually(async () => (await readRun(first.id)).attempts[0].held_until !== null);
    receiver.script((response, taken) => answer(taken.body.type === undefined ? 202 : 503)(response, taken));
    const second = await deliver(pulls);
    expect(await readRun(first.id)).toMatchObject({
      state: 'cancelled',
      error: 'superseded',
      superseded_by: second.id,
    });
    await eventually(() => takenNotifications().length >= 2);
    expect(new Set(takenNotifications().map(({ body }) => body.data.run))).toEqual(new Set([first.id]));
    receiver.script(ACCEPTED);
    const taken = takenNotifications().length;
    await eventually(() => takenNotifications().length > taken);
    const result = {
      summary: 'Reviewed pull request 42.',
      links: [{ title: 'Review', url: 'https://git.example.com/42' }],
    };
    const hidden = { ...result, summary: `${result.summary} ${RECEIVER_SECRET}` };
    expect((await complete(second.report, { state: 'succeeded', result: hidden })).status).toBe(200);
    const shown = { ...result, summary: `${result.summary} [redacted]` };
    expect((await readRun(second.id)).result).toMatchObject(shown);
    const { body: found } = await daemon.api('/factories/ours/runs?search=pull%20request%2042');
    expect(found.data.map(({ id }: { id: string }) => id)).toEqual([second.id]);
  });

  it('fences a receiver off whose run is at a later attempt', { tags: 'full' }, async () => {
    const { id, report } = await deliver();
    await complete(report, { state: 'failed', error: 'no build' });
    expect((await post(`/runs/${id}/retry`, undefined)).status).toBe(200);
    const { report: next } = (await eventually(() => receiver.taken[1])).body;
    expect(next.fence).toBe(2);
    expect((await beat(report)).status).toBe(409);
    expect((await complete(report, { state: 'succeeded' })).status).toBe(409);
    expect((await beat({ ...report, fence: 2 })).status).toBe(403);
    expect((await complete(next, { state: 'succeeded' })).status).toBe(200);
    expect(await readRun(id)).toMatchObject({ state: 'succeeded', attempt: 2 });
  });

  it('ends as timeout at the deadline, which no report extends', { tags: 'full' }, async () => {
    await daemon.end('SIGTERM');
    await start({ timeout: '3s' });
    const { id, report } = await deliver();
    const statuses: number[] = [];
    await eventually(async () => {
      statuses.push((await beat(report)).status);
      return (await readRun(id)).state === 'failed';
    });
    expect(statuses[0]).toBe(200);
    const run = await readRun(id);
    expect(run).toMatchObject({ error: 'timeout', attempts: [{ reason: 'timeout' }] });
    expect(run.attempts[0].reason_text).toContain('It may still be working');
    expect(Math.abs(Date.parse(run.finished_at) - Date.parse(report.deadline))).toBeLessThan(2000);
    expect((await complete(report, { state: 'succeeded' })).body.detail).toBe(
      'The run has ended as failed (timeout). Stop working on it.',
    );
  });
});
