import { EventEmitter } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { ClaimOrder } from '../../src/domain/ports/workers.ts';
import type { Run } from '../../src/domain/resources/run.ts';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import { systemClock } from '../../src/domain/time/clock.ts';
import type { DispatchState, WorkerTerms } from '../../src/runs/dispatch-terms.ts';
import { RunEnds } from '../../src/runs/run-ends.ts';
import type { RunEvents } from '../../src/runs/run-events.ts';
import { MAX_WAITING_CLAIMS } from '../../src/runs/workers/claim-waiters.ts';
import { openWorkers, type Workers } from '../../src/runs/workers/open-workers.ts';
import { makeRunInput, newRunId, silentLogger, waitUntil } from '../helpers/command-runs.ts';
import { ENDLESS_TERM } from '../helpers/endless-term.ts';
import { StoredRunQueue } from '../helpers/stored-run-queue.ts';
import { callerNamed, claimOrder, createMemoryRecords } from '../helpers/worker-claims.ts';

const TERMS: WorkerTerms = {
  concurrency: 10,
  leaseMs: 60_000,
  timeoutMs: 30 * 60_000,
  hasExecutor: true,
  retry: 'never',
};
const GPU = callerNamed('t', { id: 'gpu-1', name: 'gpu-1', labels: ['gpu', 'linux'] });
const PLAIN = callerNamed('t', { id: 'plain-1', name: 'plain-1' });

let queue: StoredRunQueue;
let state: DispatchState;
let written: string;
let workers: Workers;
let startRecords: ReturnType<typeof createMemoryRecords>;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  queue = new StoredRunQueue();
  written = '';
  startRecords = createMemoryRecords();
  workers = await open();
});
afterEach(() => vi.useRealTimers());

async function open(
  terms: Partial<WorkerTerms> = {},
  secrets: Record<string, string> = {},
  term: AbortSignal = ENDLESS_TERM,
): Promise<Workers> {
  const payments = { ...TERMS, ...terms };
  state = {
    phase: 'running',
    leads: true,
    term: ENDLESS_TERM,
    terms: { executors: new Map(), workers: new Map([['payments', payments]]) },
  };
  const events: RunEvents = new EventEmitter();
  const opened = openWorkers({
    queue,
    ends: new RunEnds(queue, systemClock),
    runs: queue,
    events,
    state,
    logs: {
      begin: async () => 0,
      append: async (_run, text) => {
        written += text;
      },
    },
    secrets: {
      resolve: async (name) => {
        const value = secrets[name];
        if (value === undefined) return { outcome: 'missing' };
        return { outcome: 'found', value: new SecretValue(value), version: 1 };
      },
    },
    startRecords,
    clock: systemClock,
    logger: silentLogger,
    observer: { onClaimed: () => {}, onEnded: () => {} },
    senders: { acceptEarly: async () => {} },
    openMask: async () => (text) => text,
  });
  events.on('startable', (factory) => opened.claims.wake(factory));
  await opened.leases.recover(term);
  return opened;
}

function addRun(run: Partial<Run> = {}, overrides = {}): Run['id'] {
  const input = makeRunInput({ run: { id: newRunId(), state: 'queued', executor: null, ...run }, overrides });
  queue.add(input);
  workers.claims.wake('payments');
  return input.run.id;
}

const claim = (order: Partial<ClaimOrder> = {}) =>
  workers.control
    .claim(claimOrder({ factories: ['payments'], worker: PLAIN, ...order }))
    .then((claimed) => claimed.map(({ input }) => input.run.id));

/** Resolves when all claims have found nothing, and wait. */
async function isWaiting(count = 1): Promise<void> {
  await waitUntil(
    () => workers.control.list().filter(({ isOnline }) => isOnline).length === count,
    'the claims were sent',
  );
  await wait(50);
}

describe('a claim whose answer was lost', () => {
  beforeEach(() => {
    let lost = 0;
    queue.after = (operation) => {
      if (operation === 'claim' && lost++ === 0) throw new AppError('storage_unavailable', 'no answer');
    };
  });

  it('leaves its run to the next claim, as the same attempt', async () => {
    const id = addRun();
    await expect(claim()).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(await claim({ holding: [] })).toEqual([id]);
    expect(queue.run(id)).toMatchObject({ state: 'running', attempt: 1 });
    expect(await claim()).toEqual([]);
  });

  it('leaves the runs alone that workers hold', async () => {
    queue.after = () => undefined;
    const held = addRun();
    expect(await claim()).toEqual([held]);
    workers.claims.lookForStrays();
    expect(await claim()).toEqual([]);
    expect(queue.run(held)).toMatchObject({ state: 'running', attempt: 1 });
  });

  it('leaves a run with a start record to the end of a lease, as after a lost worker', async () => {
    const id = addRun();
    await startRecords.create(id, 1);
    await expect(claim()).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(await claim()).toEqual([]);
    await vi.advanceTimersByTimeAsync(TERMS.leaseMs);
    await waitUntil(() => queue.run(id).state === 'failed', 'the lease has ended');
    expect(queue.run(id)).toMatchObject({ error: 'interrupted' });
  });
});

describe('a claim that waits', () => {
  it('gets the first run that is created for its factories and labels', async () => {
    const plain = claim({ waitMs: 30_000 });
    const gpu = claim({ waitMs: 30_000, worker: GPU });
    await isWaiting(2);
    const forGpu = addRun({ runsOn: ['gpu'] });
    expect(await gpu).toEqual([forGpu]);
    const forAll = addRun();
    expect(await plain).toEqual([forAll]);
  });

  it('ends without a run after its time, by a drain, by a stop, and by a newer claim of its worker', async () => {
    const timed = claim({ waitMs: 30_000 });
    await isWaiting();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await timed).toEqual([]);

    const replaced = claim({ waitMs: 30_000 });
    await isWaiting();
    const drained = claim({ waitMs: 30_000 });
    expect(await replaced).toEqual([]);
    await isWaiting();
    state.phase = 'draining';
    workers.claims.endWaits();
    expect(await drained).toEqual([]);
    expect(await claim({ waitMs: 30_000 })).toEqual([]);

    state.phase = 'running';
    const stopped = claim({ waitMs: 30_000 });
    await isWaiting();
    workers.claims.stop();
    expect(await stopped).toEqual([]);
  });

  it('gets no run after its worker has disconnected, and the run stays queued as the same attempt', async () => {
    const gone = new AbortController();
    const waiting = claim({ waitMs: 30_000, signal: gone.signal });
    await isWaiting();
    const id = addRun();
    // The claim for the waiting worker is in progress.
    gone.abort();
    expect(await waiting).toEqual([]);
    await waitUntil(() => queue.run(id).state === 'queued', 'the run is queued again');
    expect(await claim({ waitMs: 30_000 })).toEqual([id]);
    expect(queue.run(id).attempt).toBe(1);
  });

  it('is rejected if too many wait', async () => {
    const all = Array.from({ length: MAX_WAITING_CLAIMS }, (_, n) =>
      claim({ waitMs: 30_000, worker: callerNamed('t', { id: `w${n}` }) }),
    );
    await isWaiting(MAX_WAITING_CLAIMS);
    await expect(claim({ waitMs: 30_000 })).rejects.toMatchObject({ code: 'too_many_requests' });
    workers.claims.endWaits();
    expect((await Promise.all(all)).flat()).toEqual([]);
  });

  it('gets a run when the last one of its factory ends', async () => {
    workers = await open({ concurrency: 1 });
    const [first, second] = [addRun(), addRun()];
    expect(await claim({ worker: GPU })).toEqual([first]);
    const waiting = claim({ waitMs: 30_000 });
    await isWaiting(2);
    const result = { state: 'succeeded', error: null, exitCode: 0 } as const;
    await workers.control.complete({ id: first, fence: 1 }, result, { log: '' });
    expect(await waiting).toEqual([second]);
  });
});

describe('a run with labels', () => {
  it('is only given to a worker that has all of them', async () => {
    const both = addRun({ runsOn: ['gpu', 'linux'] });
    const other = addRun({ runsOn: ['gpu', 'windows'] });
    const plain = addRun();
    expect(await claim({ limit: 5 })).toEqual([plain]);
    expect(await claim({ limit: 5, worker: GPU })).toEqual([both]);
    expect(workers.registry.supply('payments', ['gpu', 'windows'])).toBe('without_labels');
    expect(await claim({ worker: callerNamed('t', { id: 'w', labels: ['windows', 'gpu'] }) })).toEqual([other]);
  });

  it('knows whether a worker for it is online', async () => {
    expect(workers.registry.supply('payments', ['gpu'])).toBe('none');
    await claim({ worker: GPU });
    expect([workers.registry.supply('payments', ['gpu']), workers.registry.supply('payments', ['tpu'])]).toEqual([
      'able',
      'without_labels',
    ]);
    await vi.advanceTimersByTimeAsync(90_000);
    expect(workers.registry.supply('payments', ['gpu'])).toBe('offline');
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    await claim();
    expect(workers.control.list().map(({ name }) => name)).toEqual(['plain-1']);
  });
});

describe('a worker that was lost', () => {
  it('does not get its attempt repeated if it recorded the start, unless the configuration allows it', async () => {
    for (const retry of ['never', 'interrupted'] as const) {
      const term = new AbortController();
      workers = await open({ retry }, {}, term.signal);
      const id = addRun();
      await claim();
      expect(await workers.control.start({ id, fence: 1 })).toMatchObject({ outcome: 'held' });
      // It received no response.
      expect(await workers.control.start({ id, fence: 1 })).toMatchObject({ outcome: 'held' });
      await vi.advanceTimersByTimeAsync(60_000);
      await waitUntil(() => queue.run(id).state !== 'running', 'the lease ends');
      const end = retry === 'never' ? { state: 'failed', error: 'interrupted' } : { state: 'queued', attempt: 2 };
      expect(queue.run(id)).toMatchObject(end);
      expect(await workers.control.start({ id, fence: 1 })).toMatchObject({ outcome: 'lost' });
      term.abort();
    }
  });

  it('has lost the runs that it does not list in its next claim', async () => {
    const [kept, lost] = [addRun(), addRun()];
    await claim({ limit: 2 });
    expect(await claim({ holding: [{ id: kept, fence: 1 }] })).toEqual([lost]);
    expect([queue.run(kept).attempt, queue.run(lost).attempt]).toEqual([1, 2]);
    // The runs of another worker are not affected.
    expect(await claim({ worker: GPU, holding: [] })).toEqual([]);
    expect(queue.run(kept).state).toBe('running');
  });

  it('hands back what it has not started, as the next attempt', async () => {
    const id = addRun();
    await claim();
    const handBack = (fence: number) => workers.control.handBack({ id, fence }, 'the worker is stopping');
    expect(await handBack(1)).toMatchObject({ outcome: 'held', run: { state: 'queued', attempt: 2 } });
    expect(await handBack(1)).toMatchObject({ outcome: 'held', run: { attempt: 2 } });
    await claim();
    expect(await handBack(1)).toMatchObject({ outcome: 'held', run: { state: 'running', attempt: 2 } });
    await workers.control.start({ id, fence: 2 });
    await expect(handBack(2)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('the output of a run', () => {
  it('is appended once, although a request is repeated', async () => {
    const id = addRun();
    await claim();
    const beat = (text: string, offset: number) =>
      workers.control.heartbeat({ id, fence: 1 }, { log: text, logOffset: offset, progress: null, worker: PLAIN });
    await beat('über', 0);
    await beat('über', 0);
    await beat('r den', 4);
    await beat('e', 9);
    expect(written).toBe('über dene');
  });
});

describe('the secrets of a run', () => {
  it('are in the claim that asks for them, and a run without them fails with the reason', async () => {
    workers = await open({}, { TOKEN: 'hunter2hunter2' });
    addRun({}, { secrets: ['TOKEN'] });
    const [given] = await workers.control.claim(claimOrder({ factories: ['payments'], withSecrets: true }));
    expect([...given!.secrets!].map(([name, value]) => [name, value.reveal()])).toEqual([['TOKEN', 'hunter2hunter2']]);
    const id = addRun({}, { secrets: ['OTHER'] });
    expect(await workers.control.claim(claimOrder({ factories: ['payments'], withSecrets: true }))).toEqual([]);
    expect(queue.run(id)).toMatchObject({ state: 'failed', error: expect.stringContaining('secret named OTHER') });
    addRun({}, { secrets: ['TOKEN'] });
    const [without] = await workers.control.claim(claimOrder({ factories: ['payments'] }));
    expect(without!.secrets).toBeNull();
  });
});
