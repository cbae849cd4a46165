import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunId } from '../../src/domain/ids.ts';
import type { Executor } from '../../src/domain/ports/executor.ts';
import type { SecretStore } from '../../src/domain/ports/secret-store.ts';
import type { Run } from '../../src/domain/resources/run.ts';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import { systemClock } from '../../src/domain/time/clock.ts';
import { signWebhook } from '../../src/outbound/sign-webhook.ts';
import { createRedactingTransform } from '../../src/platform/secrets/redactor.ts';
import { Dispatcher } from '../../src/runs/dispatcher.ts';
import { createHttpExecutor } from '../../src/runs/executors/http/http-executor.ts';
import { appendAttempts } from '../../src/runs/executors/log/open-run-log.ts';
import { createStartRecords } from '../../src/runs/executors/start-records.ts';
import {
  execute,
  makeRunInput,
  newRunId,
  openWorkshop,
  orderStop,
  SEARCH_PATH,
  silentLogger,
  tryToExecute,
  type Workshop,
  waitUntil,
} from '../helpers/command-runs.ts';
import { ENDLESS_TERM } from '../helpers/endless-term.ts';
import {
  answer,
  answerJson,
  hangUp,
  hold,
  RECEIVER_SECRET,
  type RunReceiver,
  startRunReceiver,
} from '../helpers/run-receiver.ts';
import { StoredRunQueue } from '../helpers/stored-run-queue.ts';
import { createMemoryRecords, NO_SECRETS } from '../helpers/worker-claims.ts';

const TIMING = { backoff: { firstMs: 20, maxMs: 40 }, executingAfterMs: 300 };
const FOUND = { outcome: 'found', version: 1, value: new SecretValue(RECEIVER_SECRET) } as const;

let workshop: Workshop;
let receiver: RunReceiver;
let asked: unknown[];
let opened: number;
let dispatcher: Dispatcher | null;
let secret: Awaited<ReturnType<SecretStore['resolve']>>;
beforeEach(async () => {
  workshop = await openWorkshop();
  receiver = await startRunReceiver();
  [asked, opened, dispatcher, secret] = [[], 0, null, FOUND];
});
afterEach(async () => {
  await dispatcher?.stop({ graceMs: 0, why: 'the daemon stopped' });
  await receiver.close();
  await workshop.close();
});

interface Changes {
  mode?: 'sync' | 'async';
  url?: string;
  timeoutMs?: number;
  allowPrivateAddresses?: boolean;
}

function openExecutor(changes: Changes = {}) {
  const { mode = 'sync', url = receiver.url, timeoutMs = 20_000, allowPrivateAddresses = true } = changes;
  const settings = { url, secretName: 'RUN_SIGNING', mode, allowPrivateAddresses };
  const parts = {
    factory: 'payments',
    timeoutMs,
    runsDir: workshop.runsDir,
    openOutput: appendAttempts(workshop.logsDir, systemClock),
    startRecords: createStartRecords(workshop.dir),
    searchPath: SEARCH_PATH,
    maskOutput: createRedactingTransform,
    secrets: {
      resolve: async (...request: Parameters<SecretStore['resolve']>) => {
        asked.push(request);
        return secret;
      },
    },
    checkOut: async () => ({ ok: true, dir: null }) as const,
    signWebhook,
    openReports: async ({ id, attempt }: Run) => ({
      url: `https://dockbell.example.com/api/v1/runs/${id}`,
      token: new SecretValue(`dbr_${attempt}-${opened++}`),
    }),
    clock: systemClock,
    logger: silentLogger,
  };
  return createHttpExecutor(settings, parts, TIMING);
}

const keys = () => receiver.taken.map(({ headers }) => headers['idempotency-key']);

describe('the request', () => {
  it('is signed, names the attempt, and contains the run with the exact payload', async () => {
    const payload = Buffer.from('{"id": 12345678901234567890, "a":1.0, "a":2}');
    const traceContext = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const input = makeRunInput({ payload, run: { attempt: 2, traceContext } });
    expect(await execute(await openExecutor(), input)).toEqual({ state: 'succeeded', error: null, exitCode: null });
    const [{ headers, text, body }] = receiver.taken as [(typeof receiver.taken)[0]];
    const key = `${input.run.id}-2`;
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': key,
      'webhook-id': key,
      traceparent: body.trace.traceparent,
    });
    expect(body).toMatchObject({ run: { id: input.run.id, attempt: 2 }, webhook: input.webhook, prompt: input.prompt });
    expect(body.envelope).toContain('Delivery ID: `event-1`');
    expect(text).toContain(`"payload":${payload}}`);
    expect(asked).toEqual([['RUN_SIGNING', { factory: 'payments', use: 'run' }]]);
  });

  it.each([
    ['is not JSON', 'a=1&b=2'],
    ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ])('contains a payload that %s as Base64', async (_what, payload) => {
    await execute(await openExecutor(), makeRunInput({ payload: Buffer.from(payload) }));
    const { body } = receiver.taken[0]!;
    expect([body.payload, Buffer.from(body.payload_base64, 'base64')]).toEqual([null, Buffer.from(payload)]);
  });

  it('is not sent while the secret is missing: the run waits', async () => {
    secret = { outcome: 'missing' };
    const executor = await openExecutor();
    const outcome = await tryToExecute(executor, makeRunInput());
    expect(outcome).toMatchObject({ state: 'not_started', nextAttempt: 1 });
    expect(outcome).toHaveProperty('problem', expect.stringContaining('dockbell secret create RUN_SIGNING'));
    secret = { ...FOUND, value: new SecretValue('plain text') };
    expect(await tryToExecute(executor, makeRunInput())).toHaveProperty(
      'problem',
      expect.stringContaining('RUN_SIGNING, which signs requests to the receiver, is not a signing secret'),
    );
    expect(receiver.taken).toEqual([]);
  });
});

const UNKNOWN_EXIT_CODE = (shown: string) =>
  `the exit code is unknown: exit_code ${shown} is not an integer from -2147483648 to 4294967295`;

describe('the answer', () => {
  it('is the log of the run, with its secrets masked', async () => {
    receiver.script(answer(200, `token=hidden-value key=${RECEIVER_SECRET}\n`));
    const input = makeRunInput();
    const secrets = { TOKEN: 'hidden-value' };
    expect(await tryToExecute(await openExecutor(), input, { secrets })).toMatchObject({ state: 'succeeded' });
    expect(await workshop.log(input.run.id)).toBe('token=[redacted] key=[redacted]\n');
  });

  it.each([
    [
      { state: 'succeeded', log: 'all good\n', exit_code: 0 },
      { state: 'succeeded', error: null, exitCode: 0 },
    ],
    [
      { state: 'failed', error: ' no build ' },
      { state: 'failed', error: 'no build', exitCode: null },
    ],
    [
      { state: 'failed', exit_code: 78 },
      { state: 'failed', error: 'exit code 78', exitCode: 78 },
    ],
    [
      { state: 'succeeded', exit_code: 1e99 },
      { state: 'succeeded', error: null, exitCode: null },
    ],
    [
      { state: 'succeeded', exit_code: 2 ** 32 },
      { state: 'succeeded', error: null, exitCode: null },
    ],
    [
      { state: 'succeeded', exit_code: -(2 ** 31) - 1 },
      { state: 'succeeded', error: null, exitCode: null },
    ],
    [
      { state: 'failed', error: 'x'.repeat(2000) },
      { state: 'failed', error: 'x'.repeat(1000), exitCode: null },
    ],
    [
      { state: 'failed', error: 'x'.repeat(995) + RECEIVER_SECRET },
      { state: 'failed', error: `${'x'.repeat(995)}[reda`, exitCode: null },
    ],
    [{ state: 'done' }, { state: 'failed', error: expect.stringContaining('neither'), exitCode: null }],
    [{ result: 'unknown' }, { state: 'succeeded', error: null, exitCode: null }],
  ])('of %j decides the result', async (value, result) => {
    receiver.script(answerJson(value));
    expect(await execute(await openExecutor(), makeRunInput())).toEqual(result);
  });

  it.each([
    [{ state: 'succeeded', log: 'done', exit_code: 1e99 }, null, 'done', '1e+99'],
    [{ state: 'failed', exit_code: 2 ** 32 }, UNKNOWN_EXIT_CODE('4294967296'), '', '4294967296'],
    [{ state: 'failed', error: 'no build', exit_code: '3' }, 'no build', '', '"3"'],
  ])('explains in the log why the exit code of %j is unknown', async (value, error, log, shown) => {
    const input = makeRunInput();
    receiver.script(answerJson(value));
    expect(await execute(await openExecutor(), input)).toMatchObject({ error, exitCode: null });
    expect(await workshop.log(input.run.id)).toBe(`${log}\n${UNKNOWN_EXIT_CODE(shown)}\n`);
  });

  it.each(['succeeded', 'failed'] as const)(
    'can contain result.json of a run that %s, without secrets',
    async (state) => {
      const result = {
        summary: `used ${RECEIVER_SECRET}`,
        links: [{ title: 'pull request', url: 'https://git.example.com/1' }],
      };
      receiver.script(answerJson({ state, result }));
      expect(await execute(await openExecutor(), makeRunInput())).toMatchObject({
        state,
        output: { ...result, summary: 'used [redacted]', problem: null },
      });
    },
  );

  it('is limited', async () => {
    const input = makeRunInput();
    receiver.script(
      (response) => {
        response.writeHead(200, { 'content-type': 'text/plain' });
        const line = Buffer.alloc(65_536, 'x');
        const send = (error?: Error | null) => void (error || response.destroyed || response.write(line, send));
        send();
      },
      answerJson({ state: 'failed', log: 'x'.repeat(1_100_000) }),
    );
    const executor = await openExecutor();
    expect(await execute(executor, input)).toMatchObject({ state: 'succeeded' });
    const log = await workshop.log(input.run.id);
    expect(log.length).toBeLessThanOrEqual(10 * 1024 * 1024);
    expect(log).toMatch(/the log ends here, at its limit/);
    expect(await execute(executor, makeRunInput())).toHaveProperty('error', expect.stringContaining('longer than'));
  });

  it.each([302, 401, 404, 422])('%i fails the run without another request', async (status) => {
    receiver.script(answer(status, 'because of hidden-value', { location: receiver.url }));
    const input = makeRunInput();
    const result = await tryToExecute(await openExecutor(), input, { secrets: { S: 'hidden-value' } });
    expect(result).toMatchObject({ state: 'failed', error: expect.stringContaining(`responded with ${status}: `) });
    expect([receiver.taken.length, await workshop.log(input.run.id)]).toEqual([1, 'because of [redacted]']);
  });
});

describe('a request that fails', () => {
  it('is repeated with the same key and another signature, until the receiver executes the run', async () => {
    receiver.script(...[408, 425, 500].map((status) => answer(status)), hangUp, answer(200, 'done'));
    const input = makeRunInput();
    expect(await execute(await openExecutor(), input)).toMatchObject({ state: 'succeeded' });
    expect(keys()).toEqual(Array(5).fill(`${input.run.id}-1`));
    expect(await workshop.log(input.run.id)).toBe('done');
  });

  it('waits as long as Retry-After says, also for other runs of the factory', async () => {
    receiver.script(answer(429, '', { 'retry-after': '1' }), answer(200));
    const executor = await openExecutor();
    const startedAt = performance.now();
    const first = execute(executor, makeRunInput());
    await waitUntil(() => receiver.taken.length === 1, 'the first request is answered');
    await Promise.all([first, execute(executor, makeRunInput())]);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    expect(receiver.taken).toHaveLength(3);
  });

  it('waits for the result of an earlier request with the same key, which gets 409', async () => {
    receiver.script(...Array(8).fill(answer(409)), answer(200));
    expect(await execute(await openExecutor(), makeRunInput())).toMatchObject({ state: 'succeeded' });
    expect(receiver.taken).toHaveLength(9);
  });

  it('is repeated if the answer is incomplete, with a line in the log', async () => {
    receiver.script(
      (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('half');
        setTimeout(() => response.destroy(), 50);
      },
      answer(200, 'whole'),
    );
    const input = makeRunInput();
    expect(await execute(await openExecutor(), input)).toMatchObject({ state: 'succeeded' });
    expect(await workshop.log(input.run.id)).toMatch(
      /^half\n\[dockbell: .*was lost.*; the request is repeated\]\nwhole$/,
    );
  });

  it('fails the run at the deadline', async () => {
    receiver.script(hold);
    const executor = await openExecutor({ timeoutMs: 200 });
    expect(await execute(executor, makeRunInput())).toEqual({ state: 'failed', error: 'timeout', exitCode: null });
    receiver.script(answer(503, '', { 'retry-after': '60' }));
    const { error } = await execute(executor, makeRunInput());
    expect(error).toMatch(/^the receiver 127.0.0.1:\d+ responded with 503, until the time limit of runs.timeout$/);
  });
});

it('a receiver that accepts no connection within the time limit keeps its run in the queue', {
  tags: 'full',
}, async () => {
  // The connection exists, but no TLS handshake is answered.
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const outcome = await tryToExecute(await openExecutor({ url, timeoutMs: 400 }), makeRunInput());
  expect(outcome).toMatchObject({ state: 'not_started', problem: expect.stringContaining('no connection within') });
  silent.close();
});

describe('a run that is stopped', () => {
  it.each([
    ['cancelled', { state: 'cancelled', error: 'cancelled', exitCode: null }],
    ['interrupted', { state: 'failed', error: 'interrupted', exitCode: null }],
  ] as const)('%s ends the request', async (cause, result) => {
    receiver.script(hold);
    const stop = new AbortController();
    const running = tryToExecute(await openExecutor(), makeRunInput(), { signal: stop.signal });
    await waitUntil(() => receiver.taken.length === 1, 'the receiver has the run');
    orderStop(stop, { cause, graceMs: null });
    expect(await running).toEqual(result);
  });
});

describe('a run that is cancelled with mode async', () => {
  const CANCELLED = { cause: 'cancelled', graceMs: null } as const;
  const notifications = () => receiver.taken.filter(({ body }) => body.type === 'run.cancelled');

  it('has a signed notification with another key, repeated until the receiver takes it', async () => {
    const executor = await openExecutor({ mode: 'async' });
    receiver.script(answer(503), hangUp, answer(204));
    const { run } = makeRunInput({ run: { attempt: 2 } });
    executor.noteCancelled!(run);
    await waitUntil(() => receiver.taken.length === 3, 'the receiver takes the notification');
    const { id, factory, automation } = run;
    const data = { run: id, attempt: 2, factory, automation };
    expect(notifications()[0]!.body).toEqual({ type: 'run.cancelled', timestamp: expect.any(String), data });
    expect(keys()).toEqual(Array(3).fill(`${id}-2-cancelled`));
    expect(receiver.taken.map(({ headers }) => headers['webhook-id'])).toEqual(keys());
  });

  it.each([
    ['rejects it', [answer(404)], 1],
    ['fails', [answer(500)], 5],
  ] as const)('has a notification that is lost if the receiver %s', async (_what, answers, sends) => {
    const executor = await openExecutor({ mode: 'async' });
    receiver.script(...answers);
    executor.noteCancelled!(makeRunInput().run);
    await waitUntil(() => receiver.taken.length === sends, 'the last notification is sent');
    // The next one would be sent after at most 48 ms.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(receiver.taken.length).toBe(sends);
  });

  it.each([
    ['async', 1],
    ['sync', 0],
  ] as const)('during its request (mode %s) has %d notifications', async (mode, count) => {
    receiver.script(hold, answer(204));
    const stop = new AbortController();
    const running = tryToExecute(await openExecutor({ mode }), makeRunInput(), { signal: stop.signal });
    await waitUntil(() => receiver.taken.length === 1, 'the receiver has the run');
    orderStop(stop, CANCELLED);
    expect(await running).toMatchObject({ state: 'cancelled' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(notifications().length).toBe(count);
  });

  it('before its request has no notification', async () => {
    const stop = new AbortController();
    orderStop(stop, CANCELLED);
    await tryToExecute(await openExecutor({ mode: 'async' }), makeRunInput(), { signal: stop.signal });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(receiver.taken).toEqual([]);
  });
});

describe('the address of the receiver', () => {
  it('is checked when it is connected to: a private one gets no request unless it is allowed', async () => {
    const url = `https://localhost:${receiver.port}/runs`;
    const executor = await openExecutor({ url, allowPrivateAddresses: false });
    const outcome = await tryToExecute(executor, makeRunInput());
    expect(outcome).toMatchObject({
      state: 'not_started',
      problem: expect.stringMatching(/cannot be reached: the address (127\.0\.0\.1|::1) is private or reserved$/),
    });
    const withoutTls = await openExecutor({ url });
    expect(await tryToExecute(withoutTls, makeRunInput())).toMatchObject({
      state: 'not_started',
      problem: expect.stringMatching(/cannot be reached: ERR_SSL_/),
    });
    await expect(openExecutor({ allowPrivateAddresses: false })).rejects.toThrow('is private or reserved');
    const allowed = await openExecutor({ url: `http://localhost:${receiver.port}/runs` });
    expect(await execute(allowed, makeRunInput())).toMatchObject({ state: 'succeeded' });
  });
});

describe('mode async', () => {
  const async = (changes: Changes = {}) => openExecutor({ mode: 'async', ...changes });

  it('names the access to the attempt in its request, and ends with the acceptance', async () => {
    receiver.script(answer(503), answer(202, 'accepted'));
    const input = makeRunInput({ run: { attempt: 2 } });
    const before = Date.now();
    const outcome = await tryToExecute(await async(), input);
    const { body } = receiver.taken[0]!;
    expect(body.report).toEqual({
      url: `https://dockbell.example.com/api/v1/runs/${input.run.id}`,
      token: 'dbr_2-0',
      fence: 2,
      deadline: expect.any(String),
    });
    const deadline = Date.parse(body.report.deadline);
    expect(deadline - before).toBeGreaterThanOrEqual(20_000);
    expect(outcome).toEqual({ state: 'accepted', heldUntil: deadline });
    // A repeated request has the same token, and the log is ready for what the receiver reports.
    expect(receiver.taken[1]!.body.report).toEqual(body.report);
    expect(await workshop.log(input.run.id)).toMatch(/^\n\[dockbell: attempt 2, .*\]\n$/);
  });

  it('sends no access with mode sync', async () => {
    await execute(await openExecutor(), makeRunInput());
    expect(receiver.taken[0]!.body).not.toHaveProperty('report');
  });

  it.each([
    ['204', answer(204), 'accepted'],
    ['200 with text', answer(200, 'ok'), 'accepted'],
    ['200 with JSON without a state', answerJson({ ok: true }), 'accepted'],
    ['200 with a result', answerJson({ state: 'succeeded' }), 'succeeded'],
    ['422', answer(422), 'failed'],
  ])('an answer of %s counts as it should', async (_what, given, state) => {
    receiver.script(given);
    expect(await tryToExecute(await async(), makeRunInput())).toMatchObject({ state });
  });

  it('accepts at the first report, before the response', async () => {
    receiver.script(hold);
    const stop = new AbortController();
    const running = tryToExecute(await async(), makeRunInput(), { signal: stop.signal });
    await waitUntil(() => receiver.taken.length === 1, 'the receiver has the run');
    orderStop(stop, { cause: 'accepted', graceMs: null });
    expect(await running).toMatchObject({ state: 'accepted' });
  });

  it('masks its token in what the receiver says', async () => {
    receiver.script(answer(422, 'no such token: dbr_1-0'));
    const input = makeRunInput();
    await tryToExecute(await async(), input);
    expect(await workshop.log(input.run.id)).toBe('no such token: [redacted]');
  });
});

describe('a receiver that is down', () => {
  let queue: StoredRunQueue;
  const waiting = {
    factory: 'payments',
    automation: 'fix-errors',
    attempt: 1,
    gate: null,
    notBefore: null,
    concurrencyKey: null,
    runsOn: null,
  };

  beforeEach(() => {
    queue = new StoredRunQueue();
  });

  async function dispatch(executor: Executor): Promise<Dispatcher> {
    dispatcher = new Dispatcher({
      queue,
      runs: queue,
      pauses: queue.pauses,
      clock: systemClock,
      logger: silentLogger,
      localExecutors: ['http'],
      terms: { executors: new Map([['payments', { executor, concurrency: 2 }]]), workers: new Map() },
      logs: { begin: async () => 0, append: async () => undefined },
      secrets: NO_SECRETS,
      startRecords: createMemoryRecords(),
    });
    await dispatcher.start();
    await dispatcher.lead(ENDLESS_TERM);
    return dispatcher;
  }

  const addRun = (changes: Partial<Run> = {}): RunId => {
    const input = makeRunInput({ run: { id: newRunId(), state: 'queued', executor: null, ...changes } });
    queue.add(input);
    return input.run.id;
  };

  it.each([
    ['is closed', () => receiver.close(), /cannot be reached: ECONNREFUSED$/],
    ['responds with 503', async () => receiver.script(answer(503)), /responded with 503$/],
  ])('and %s keeps all runs in the queue, and they succeed once it is back', async (_how, fail, problem) => {
    await fail();
    const runs = [addRun(), addRun(), addRun()];
    const it = await dispatch(await openExecutor());
    await waitUntil(() => it.startFailure('payments') !== null, 'the circuit is open');
    expect(it.explainWait(waiting)).toMatchObject({ reason: 'start_failed', text: expect.stringMatching(problem) });
    const { port } = receiver;
    if (receiver.taken.length === 0) receiver = await startRunReceiver(port);
    receiver.script(answer(200));
    await waitUntil(() => queue.states().every((state) => state === 'succeeded'), 'all have succeeded');
    expect(runs.map((id) => queue.run(id).attempt)).toEqual([1, 1, 1]);
    expect(it.startFailure('payments')).toBeNull();
  });

  it('does not hold back the other runs if it fails only one of them, which fails at its time limit', async () => {
    const bad = addRun();
    receiver.script((response, { body }) => answer(body.run.id === bad ? 500 : 200)(response, body));
    await dispatch(await openExecutor({ timeoutMs: 1500 }));
    const good = [addRun(), addRun(), addRun()];
    await waitUntil(() => {
      dispatcher!.wake('payments');
      return queue.run(bad).state === 'failed';
    }, 'it has failed');
    expect(queue.run(bad).error).toMatch(/responded with 500, until the time limit/);
    expect(good.map((id) => queue.run(id).state)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });

  it('gets a run of a crashed daemon again, with the same key', async () => {
    const run = addRun({ state: 'running', executor: 'http' });
    await dispatch(await openExecutor());
    await waitUntil(() => queue.run(run).state === 'succeeded', 'it has succeeded');
    expect(keys()).toEqual([`${run}-1`]);
  });
});
