import { EventEmitter } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { RunLogWriter } from '../../src/domain/ports/executor.ts';
import type { RunEnd } from '../../src/domain/ports/run-queue.ts';
import type { WorkerControl } from '../../src/domain/ports/workers.ts';
import type { Run, RunResult } from '../../src/domain/resources/run.ts';
import { systemClock } from '../../src/domain/time/clock.ts';
import type { DispatchState, FactoryExecutor, WorkerTerms } from '../../src/runs/dispatch-terms.ts';
import { LOG_LIMIT_BYTES } from '../../src/runs/executors/log/log-sink.ts';
import { createRunLogWriter } from '../../src/runs/executors/log/run-log.ts';
import { RunEnds } from '../../src/runs/run-ends.ts';
import type { RunEvents } from '../../src/runs/run-events.ts';
import type { RunLeases } from '../../src/runs/run-leases.ts';
import { openWorkers } from '../../src/runs/workers/open-workers.ts';
import { makeRunInput, newRunId, silentLogger, waitUntil } from '../helpers/command-runs.ts';
import { ENDLESS_TERM } from '../helpers/endless-term.ts';
import { ScriptedExecutor } from '../helpers/scripted-executor.ts';
import { StoredRunQueue } from '../helpers/stored-run-queue.ts';
import { callerNamed, claimOrder, createMemoryRecords, NO_SECRETS } from '../helpers/worker-claims.ts';

const LEASE_MS = 60_000;
const TERMS: WorkerTerms = {
  concurrency: 2,
  leaseMs: LEASE_MS,
  timeoutMs: 30 * 60_000,
  hasExecutor: true,
  retry: 'never',
};
/** Notifies the receivers of cancelled runs. */
const NOTIFIED: FactoryExecutor = {
  executor: Object.assign(new ScriptedExecutor(), { noteCancelled: ({ id }: Run) => void cancelled.push(id) }),
  concurrency: 2,
};
const SUCCEEDED = { state: 'succeeded', error: null, exitCode: 0 } as const;
const FAILED = { state: 'failed', error: 'it broke', exitCode: null } as const;

let queue: StoredRunQueue;
let changes: string[];
let released: string[];
/** Runs whose receiver has to be notified. */
let cancelled: string[];
let written: string[];
let observed: string[];
let state: DispatchState;
let startRecords: ReturnType<typeof createMemoryRecords>;
const WORKER = callerNamed('build-machine');

const logs: RunLogWriter = {
  begin: async ({ attempt }) => {
    written.push(`attempt ${attempt}`);
    return 7;
  },
  append: async (_run, text) => void written.push(text),
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  queue = new StoredRunQueue();
  changes = [];
  released = [];
  cancelled = [];
  written = [];
  observed = [];
  startRecords = createMemoryRecords();
});
afterEach(() => vi.useRealTimers());

type OpenLeases = RunLeases & Pick<WorkerControl, 'claim'>;

function build(
  terms: Record<string, Partial<WorkerTerms>> = { payments: {} },
  writer: RunLogWriter = logs,
): OpenLeases {
  const workers = new Map(Object.entries(terms).map(([factory, changed]) => [factory, { ...TERMS, ...changed }]));
  state = {
    phase: 'running',
    leads: true,
    term: ENDLESS_TERM,
    terms: { executors: new Map([['payments', NOTIFIED]]), workers },
  };
  const events: RunEvents = new EventEmitter();
  events.on('changed', (id) => changes.push(queue.run(id).state));
  events.on('startable', (factory) => released.push(factory));
  const opened = openWorkers({
    queue,
    ends: new RunEnds(queue, systemClock),
    runs: queue,
    secrets: NO_SECRETS,
    startRecords,
    events,
    state,
    logs: writer,
    clock: systemClock,
    logger: silentLogger,
    observer: {
      onClaimed: ({ attempt, startedAt }: Run, queuedAt: number) =>
        void observed.push(`claimed ${attempt} after ${startedAt === null ? null : startedAt - queuedAt}`),
      onEnded: ({ attempt }: Run, { state, error }: RunResult) => void observed.push(`${state} ${attempt} ${error}`),
    },
    senders: { acceptEarly: async () => undefined },
    openMask: async () => (text: string) => text.replaceAll('key', '[redacted]'),
  });
  return Object.assign(opened.leases, { claim: opened.control.claim });
}

async function open(
  terms?: Record<string, Partial<WorkerTerms>>,
  writer?: RunLogWriter,
  term: AbortSignal = ENDLESS_TERM,
): Promise<OpenLeases> {
  const leases = build(terms, writer);
  await leases.recover(term);
  return leases;
}

function addRun(run: Partial<Run> = {}): Run['id'] {
  const input = makeRunInput({ run: { id: newRunId(), state: 'queued', executor: null, ...run } });
  queue.add(input);
  return input.run.id;
}

const claim = (leases: OpenLeases, limit = 1, factories = ['payments']) =>
  leases.claim(claimOrder({ factories, limit, worker: WORKER }));

describe('a claim', () => {
  it('gives each run to one worker, oldest first, with its complete input', async () => {
    const [first, second] = [addRun(), addRun()];
    const leases = await open();
    const [one, two] = await Promise.all([claim(leases), claim(leases)]);
    expect(one).toMatchObject([{ fence: 1, leaseMs: LEASE_MS, input: { run: { id: first, state: 'running' } } }]);
    expect(two).toMatchObject([
      { fence: 1, input: { run: { id: second, executor: 'queue' }, prompt: 'Fix the build.\n' } },
    ]);
    expect(await claim(leases)).toEqual([]);
    expect(changes).toEqual(['running', 'running']);
  });

  it('gets nothing while the daemon drains, and the runs that are held continue', async () => {
    const [held, waiting] = [addRun(), addRun()];
    const leases = await open();
    await claim(leases);
    state.phase = 'draining';
    expect(await claim(leases)).toEqual([]);
    expect(queue.run(waiting).state).toBe('queued');
    await leases.complete({ id: held, fence: 1 }, SUCCEEDED, { log: '' });
    expect(queue.run(held).state).toBe('succeeded');
    state.phase = 'running';
    expect(await claim(leases)).toMatchObject([{ input: { run: { id: waiting } } }]);
  });

  it('respects the concurrency of the factory for any number of concurrent workers', async () => {
    for (let n = 0; n < 5; n++) addRun();
    const leases = await open();
    const claimed = (await Promise.all([claim(leases, 3), claim(leases, 3)])).flat();
    expect(claimed).toHaveLength(2);
    await leases.complete({ id: claimed[0]!.input.run.id, fence: 1 }, SUCCEEDED, { log: '' });
    expect(await claim(leases, 5)).toHaveLength(1);
  });

  it('begins with another factory each time, and excludes factories with a command', async () => {
    for (const factory of ['payments', 'payments', 'billing', 'billing', 'support']) addRun({ factory });
    const leases = await open({ payments: {}, billing: {} });
    const factories = ['payments', 'billing', 'support'];
    const claimed = [];
    for (let n = 0; n < 6; n++) claimed.push(...(await claim(leases, 1, factories)));
    expect(claimed.map(({ input }) => input.run.factory).toSorted()).toEqual([
      'billing',
      'billing',
      'payments',
      'payments',
    ]);
    expect(new Set(claimed.slice(0, 2).map(({ input }) => input.run.factory)).size).toBe(2);
  });

  it('counts runs that an earlier daemon gave to workers', async () => {
    const left = addRun({ state: 'running', executor: 'queue', attempt: 2 });
    for (let n = 0; n < 2; n++) addRun();
    const leases = build();
    await expect(claim(leases)).rejects.toMatchObject({ code: 'storage_unavailable' });
    await leases.recover(ENDLESS_TERM);
    expect(await claim(leases, 5)).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(LEASE_MS - 1);
    expect(await leases.heartbeat({ id: left, fence: 2 }, { log: '', progress: null })).toMatchObject({
      outcome: 'held',
    });
    await vi.advanceTimersByTimeAsync(LEASE_MS - 1);
    expect(queue.run(left)).toMatchObject({ state: 'running', attempt: 2 });
  });
});

describe('a run that a receiver has accepted', () => {
  it('is held until its deadline, over a restart, and counts as held', async () => {
    const id = addRun({ state: 'running', executor: 'http', attempt: 2, startedAt: Date.now() });
    const heldUntil = Date.now() + 90_000;
    const term = new AbortController();
    const first = await open(undefined, undefined, term.signal);
    expect(await first.accept(queue.run(id), heldUntil)).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    term.abort();
    const leases = await open();
    expect([leases.countHeld('payments'), leases.countAllHeld()]).toEqual([1, 1]);
    const hold = { id, fence: 2, isReceiver: true };
    expect(await leases.heartbeat(hold, { log: '', progress: null })).toMatchObject({ leaseMs: 30_000 });
    await vi.advanceTimersByTimeAsync(29_999);
    expect(queue.run(id).state).toBe('running');
    await vi.advanceTimersByTimeAsync(1);
    await vi.waitFor(() => expect(queue.run(id)).toMatchObject({ state: 'failed', error: 'timeout' }));
    expect(await leases.complete(hold, SUCCEEDED)).toMatchObject({ outcome: 'lost' });
    expect([leases.countHeld('payments'), released]).toEqual([0, ['payments']]);
  });

  it('has a masked log, in which nothing is missing and nothing is repeated', async () => {
    const id = addRun({ state: 'running', executor: 'http', startedAt: Date.now() });
    const leases = await open();
    await leases.accept(queue.run(id), Date.now() + 90_000);
    const hold = { id, fence: 1, isReceiver: true };
    const report = (log: string, logOffset: number) => leases.heartbeat(hold, { log, logOffset, progress: null });
    await report('key one\n', 0);
    await report('key one\nkey two\n', 0);
    await report('three\n', 16);
    await leases.complete(hold, { ...FAILED, error: 'no key' });
    expect(written.join('')).toBe('[redacted] one\n[redacted] two\nthree\n');
    expect(queue.run(id).error).toBe('no [redacted]');
  });

  it('continues its log where another daemon ended, and repeats what could not be stored', async () => {
    const id = addRun({ state: 'running', executor: 'http', startedAt: Date.now() });
    const stored = { text: 'one\n', position: 4, isAvailable: true };
    const leases = await open(undefined, {
      ...logs,
      append: async (_run, text, position) => {
        if (!stored.isAvailable) throw new AppError('storage_unavailable', 'PostgreSQL restarts');
        stored.text += text;
        stored.position = position!;
      },
      received: async () => stored.position,
    });
    await leases.accept(queue.run(id), Date.now() + 90_000);
    const hold = { id, fence: 1, isReceiver: true };
    const report = (log: string, logOffset: number) => leases.heartbeat(hold, { log, logOffset, progress: null });
    await report('one\ntwo key\n', 0);
    stored.isAvailable = false;
    await expect(report('three\n', 12)).rejects.toMatchObject({ code: 'storage_unavailable' });
    stored.isAvailable = true;
    await report('three\n', 12);
    await report('four\n', 18);
    expect(stored).toMatchObject({ text: 'one\ntwo [redacted]\nthree\nfour\n', position: 23 });
  });

  it('reports its cancellation to its receiver, and a run of a worker does not', async () => {
    const [id, ofWorker] = [addRun({ state: 'running', executor: 'http', startedAt: Date.now() }), addRun()];
    const leases = await open();
    await leases.accept(queue.run(id), Date.now() + 90_000);
    await claim(leases);
    expect([await leases.cancel(queue.run(ofWorker)), await leases.cancel(queue.run(id))]).toEqual([true, true]);
    expect(await leases.cancel(queue.run(id))).toBe(false);
    expect(cancelled).toEqual([id]);
  });

  it('that is not held yet is rejected, so that its receiver repeats the report', async () => {
    const id = addRun({ state: 'queued', executor: null });
    const leases = await open();
    const hold = { id, fence: 1, isReceiver: true };
    await expect(leases.complete(hold, SUCCEEDED)).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(queue.run(id).state).toBe('queued');
  });
});

describe('a lease', () => {
  it('that is not renewed gives the run to the next worker, and the first one has lost it', async () => {
    const id = addRun();
    const leases = await open();
    await claim(leases);
    await vi.advanceTimersByTimeAsync(LEASE_MS - 1);
    expect(queue.run(id).state).toBe('running');
    await vi.advanceTimersByTimeAsync(1);
    expect([queue.run(id).state, queue.run(id).attempt, released]).toEqual(['queued', 2, ['payments']]);
    expect(await leases.heartbeat({ id, fence: 1 }, { log: '', progress: null })).toMatchObject({
      outcome: 'lost',
      run: { state: 'queued' },
    });

    expect(await claim(leases)).toMatchObject([{ fence: 2 }]);
    expect(await leases.complete({ id, fence: 1 }, SUCCEEDED, { log: 'late' })).toMatchObject({ outcome: 'lost' });
    expect(await leases.complete({ id, fence: 2 }, FAILED, { log: 'in time' })).toMatchObject({ outcome: 'held' });
    const worker = 'build-machine';
    expect(await queue.attemptsOf(id)).toMatchObject([
      { number: 1, state: 'failed', error: 'interrupted', worker, logOffset: 0 },
      { number: 2, state: 'failed', error: FAILED.error, worker, logOffset: 7 },
    ]);
    expect(queue.run(id)).toMatchObject({ state: 'failed', error: 'it broke', attempt: 2 });
    expect(written).toEqual(['attempt 1', 'attempt 2', 'in time']);
    expect(observed).toEqual([
      expect.stringContaining('claimed 1 after '),
      'failed 1 interrupted',
      'claimed 2 after 0',
      'failed 2 it broke',
    ]);
  });

  it('lasts while heartbeats arrive, but not beyond the timeout of the run', async () => {
    const id = addRun();
    const leases = await open({ payments: { timeoutMs: 3 * LEASE_MS } });
    await claim(leases);
    for (let beat = 0; beat < 4; beat++) {
      await vi.advanceTimersByTimeAsync(LEASE_MS / 2);
      expect(await leases.heartbeat({ id, fence: 1 }, { log: `${beat}`, progress: null })).toMatchObject({
        outcome: 'held',
        leaseMs: LEASE_MS,
      });
    }
    await vi.advanceTimersByTimeAsync(LEASE_MS / 2);
    expect(await leases.heartbeat({ id, fence: 1 }, { log: '', progress: null })).toMatchObject({
      outcome: 'held',
      leaseMs: LEASE_MS / 2,
    });
    await vi.advanceTimersByTimeAsync(LEASE_MS / 2);
    expect(queue.run(id)).toMatchObject({ state: 'failed', error: 'timeout' });
    expect(await leases.heartbeat({ id, fence: 1 }, { log: '', progress: null })).toMatchObject({
      outcome: 'lost',
      run: { error: 'timeout' },
    });
    expect(changes).toEqual(['running', 'failed']);
    expect(observed.slice(1)).toEqual(['failed 1 timeout']);
  });

  it('ends each run that reaches its timeout as failed, although timers of Node fire up to a millisecond early', async () => {
    vi.useRealTimers();
    const ids = Array.from({ length: 20 }, () => addRun());
    const leases = await open({ payments: { concurrency: ids.length, timeoutMs: 15 } });
    // One by one, so that each time of claim has another fraction of a millisecond.
    for (const _ of ids) await claim(leases);
    await waitUntil(() => !queue.states().includes('running'), 'every lease has expired');
    expect(ids.map((id) => queue.run(id)).filter(({ error, attempt }) => error !== 'timeout' || attempt !== 1)).toEqual(
      [],
    );
  });

  it('that expires while its worker ends the run counts the attempt once, with the result of the worker', async () => {
    const id = addRun();
    const leases = await open();
    await claim(leases);
    const { finish } = queue;
    let expired: RunEnd | null | undefined;
    queue.finish = async (request) => {
      if (request.result.error !== 'interrupted') return finish.call(queue, request);
      const completed = await leases.complete({ id, fence: 1 }, SUCCEEDED, { log: '' });
      expect(completed).toMatchObject({ outcome: 'held' });
      expired = await finish.call(queue, request);
      return expired;
    };
    await vi.advanceTimersByTimeAsync(LEASE_MS);
    await waitUntil(() => expired !== undefined, 'the lease has expired');
    await vi.advanceTimersByTimeAsync(LEASE_MS);
    expect(expired).toBeNull();
    expect(observed.slice(1)).toEqual(['succeeded 1 null']);
  });

  it('that expires for the third time ends the run, so that the run cannot harm workers forever', async () => {
    const id = addRun();
    const leases = await open();
    for (const fence of [1, 2, 3]) {
      expect(await claim(leases)).toMatchObject([{ fence }]);
      await vi.advanceTimersByTimeAsync(LEASE_MS);
    }
    expect(queue.run(id)).toMatchObject({ state: 'failed', error: 'interrupted', attempt: 3 });
    expect(await claim(leases)).toEqual([]);
  });

  it('that expires while the storage is unavailable is ended later, and uses a slot until then', async () => {
    const id = addRun();
    addRun();
    const leases = await open({ payments: { concurrency: 1 } });
    await claim(leases);
    queue.before = (operation) => {
      if (operation === 'finish') throw new Error('the disk is unavailable');
    };
    await vi.advanceTimersByTimeAsync(2 * LEASE_MS);
    expect(await claim(leases)).toEqual([]);
    queue.before = () => undefined;
    await vi.waitFor(() => expect(queue.run(id)).toMatchObject({ state: 'queued', attempt: 2 }), { timeout: 20_000 });
  });

  it('that is renewed while the storage is unavailable continues', async () => {
    const [renewed, silent] = [addRun(), addRun()];
    const leases = await open();
    await claim(leases, 2);
    let failures = 0;
    queue.before = (operation) => {
      if (operation === 'finish' && ++failures <= 2) throw new Error('the disk is unavailable');
    };
    await vi.advanceTimersByTimeAsync(LEASE_MS);
    expect(failures).toBe(2);
    expect(await leases.heartbeat({ id: renewed, fence: 1 }, { log: '', progress: null })).toMatchObject({
      outcome: 'held',
    });
    // Both are tried again at the same time, the renewed one first.
    await vi.waitFor(() => expect(queue.run(silent)).toMatchObject({ state: 'queued' }), { timeout: 20_000 });
    expect(queue.run(renewed)).toMatchObject({ state: 'running', attempt: 1 });
  });

  it('ends immediately if a person cancels the run', async () => {
    const id = addRun();
    const leases = await open();
    await claim(leases);
    expect(await leases.cancel(queue.run(id))).toBe(true);
    expect(await leases.heartbeat({ id, fence: 1 }, { log: '', progress: null })).toMatchObject({
      outcome: 'lost',
      run: { state: 'cancelled' },
    });
    expect(await leases.cancel(queue.run(id))).toBe(false);
    expect(observed.slice(1)).toEqual(['cancelled 1 cancelled']);
    await vi.advanceTimersByTimeAsync(LEASE_MS);
    expect(queue.run(id)).toMatchObject({ state: 'cancelled', attempt: 1 });
  });

  it('stays with its worker when the daemon stops', async () => {
    const id = addRun();
    const term = new AbortController();
    const leases = await open(undefined, undefined, term.signal);
    await claim(leases);
    term.abort();
    await vi.advanceTimersByTimeAsync(2 * LEASE_MS);
    expect(queue.run(id)).toMatchObject({ state: 'running', attempt: 1 });
  });
});

describe('the end of a run', () => {
  it('can be reported again by a worker that received no response, but not by another', async () => {
    const id = addRun();
    const leases = await open();
    await claim(leases);
    for (let time = 0; time < 2; time++) {
      expect(await leases.complete({ id, fence: 1 }, SUCCEEDED, { log: 'done' })).toMatchObject({ outcome: 'held' });
    }
    expect(await leases.complete({ id, fence: 1 }, FAILED, { log: '' })).toMatchObject({ outcome: 'lost' });
    expect(queue.run(id)).toMatchObject(SUCCEEDED);
    expect(written).toEqual(['attempt 1', 'done']);
    expect(await leases.complete({ id: newRunId(), fence: 1 }, SUCCEEDED, { log: '' })).toBeNull();
  });

  it('cannot be reported by workers for a run of a command', async () => {
    const id = addRun({ state: 'running', executor: 'command' });
    const leases = await open();
    expect(await leases.complete({ id, fence: 1 }, SUCCEEDED, { log: '' })).toMatchObject({ outcome: 'lost' });
    expect(await leases.heartbeat({ id, fence: 1 }, { log: '', progress: null })).toMatchObject({ outcome: 'lost' });
    expect(await leases.cancel(queue.run(id))).toBe(false);
    expect(queue.run(id).state).toBe('running');
  });

  it('is stored also if the log cannot be written', async () => {
    const id = addRun();
    const leases = await open();
    await claim(leases);
    const append = vi.spyOn(logs, 'append').mockRejectedValue(new Error('ENOSPC'));
    expect(await leases.complete({ id, fence: 1 }, SUCCEEDED, { log: 'done' })).toMatchObject({ outcome: 'held' });
    expect(append).toHaveBeenCalled();
    append.mockRestore();
  });
});

describe('the log of a run that a worker executes', () => {
  it('contains the output of the worker and marks of later attempts, up to its limit', async () => {
    vi.useRealTimers();
    const dir = await mkdtemp(join(tmpdir(), 'dockbell-log-'));
    try {
      const writer = createRunLogWriter(join(dir, 'logs'), { ...systemClock, wallMs: () => 0 });
      const { run } = makeRunInput({});
      await writer.begin(run);
      await writer.append(run, 'one\n');
      await writer.append(run, '');
      await writer.append(run, 'two €\n');
      await writer.begin({ ...run, attempt: 2 });
      const read = () => readFile(join(dir, 'logs', `${run.id}.log`), 'utf8');
      const begun = 'one\ntwo €\n\n[dockbell: attempt 2, 1970-01-01T00:00:00.000Z]\n';
      expect(await read()).toBe(begun);
      for (let time = 0; time < 3; time++) await writer.append(run, 'x'.repeat(LOG_LIMIT_BYTES / 2));
      const text = await read();
      expect(text.length).toBeLessThanOrEqual(LOG_LIMIT_BYTES);
      expect(text.match(/the log ends here/g)).toHaveLength(1);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});
