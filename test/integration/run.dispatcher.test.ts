import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../src/domain/access/access.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { RunObserver } from '../../src/domain/ports/run-control.ts';
import type { Run } from '../../src/domain/resources/run.ts';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import { systemClock } from '../../src/domain/time/clock.ts';
import type { DispatchTerms } from '../../src/runs/dispatch-terms.ts';
import { Dispatcher, type DispatcherOptions } from '../../src/runs/dispatcher.ts';
import {
  makeRunInput,
  newRunId,
  openWorkshop,
  silentLogger,
  type Workshop,
  waitUntil,
} from '../helpers/command-runs.ts';
import { ENDLESS_TERM } from '../helpers/endless-term.ts';
import { ScriptedExecutor } from '../helpers/scripted-executor.ts';
import { StoredRunQueue } from '../helpers/stored-run-queue.ts';
import { claimOrder, createMemoryRecords, NO_SECRETS } from '../helpers/worker-claims.ts';

const waitingIn = (factory: string, automation = 'fix-errors') => ({
  factory,
  automation,
  attempt: 1,
  gate: null,
  notBefore: null,
  concurrencyKey: null,
  runsOn: null,
});

let queue: StoredRunQueue;
let executor: ScriptedExecutor;
let dispatcher: Dispatcher | null;

beforeEach(() => {
  queue = new StoredRunQueue();
  executor = new ScriptedExecutor();
  dispatcher = null;
});
afterEach(() => dispatcher?.stop(ending(0)));

function open(
  options: Partial<DispatcherOptions & DispatchTerms> & { concurrency?: number; retryInterrupted?: boolean } = {},
): Dispatcher {
  const { concurrency = 2, retryInterrupted = false, workers = new Map(), ...others } = options;
  const { executors = new Map([['payments', { executor, concurrency, retryInterrupted }]]), ...rest } = others;
  dispatcher = new Dispatcher({
    queue,
    runs: queue,
    pauses: queue.pauses,
    logs: { begin: async () => 0, append: async () => undefined },
    localExecutors: ['command'],
    terms: { executors, workers },
    secrets: NO_SECRETS,
    startRecords: createMemoryRecords(),
    clock: systemClock,
    logger: silentLogger,
    ...rest,
  });
  return dispatcher;
}

/** As a daemon with its own storage: it leads from its start. */
async function begin(it: Dispatcher): Promise<void> {
  await it.start();
  await it.lead(ENDLESS_TERM);
}

function ending(graceMs: number) {
  return { graceMs, why: 'the daemon stopped' };
}

function addRun(
  run: Partial<Run> = {},
  overrides: Record<string, string[] | string> = {},
  policy: Parameters<StoredRunQueue['add']>[1] = {},
): Run['id'] {
  const input = makeRunInput({ run: { id: newRunId(), state: 'queued', executor: null, ...run }, overrides });
  queue.add(input, policy);
  return input.run.id;
}

const ALICE: Actor = { kind: 'local', id: 'usr_a', name: 'alice' };

const isIn = (id: Run['id'], state: Run['state']) => () => queue.run(id).state === state;

describe('the dispatcher', () => {
  it('executes queued runs at its start and after a wake', async () => {
    const changes: string[] = [];
    const first = addRun();
    const it = open({ onRunChanged: (id) => changes.push(`${id} ${queue.run(id).state}`) });
    await begin(it);
    await waitUntil(() => executor.running === 1, 'the first run is executed');
    executor.end(first);
    await waitUntil(isIn(first, 'succeeded'), 'the first run has succeeded');
    const second = addRun();
    it.wake('payments');
    await waitUntil(() => executor.running === 1, 'the second run is executed');
    executor.end(second, { state: 'failed', error: 'exit code 3', exitCode: 3 });
    await waitUntil(isIn(second, 'failed'), 'the second run has failed');
    expect(queue.run(second)).toMatchObject({ error: 'exit code 3', exitCode: 3, attempt: 1 });
    expect(changes).toEqual([`${first} running`, `${first} succeeded`, `${second} running`, `${second} failed`]);
  });

  it('executes a run once whose claim was stored, although its answer was lost', async () => {
    const it = open({ concurrency: 1 });
    await begin(it);
    let lost = 0;
    queue.after = (operation) => {
      if (operation === 'claim' && queue.states().includes('running') && lost++ === 0)
        throw new AppError('storage_unavailable', 'no answer');
    };
    const first = addRun();
    it.wake('payments');
    await waitUntil(() => executor.running === 1, 'the run is executed');
    expect(lost).toBeGreaterThan(0);
    const second = addRun();
    executor.end(first);
    await waitUntil(() => executor.running === 1 && executor.requests.length === 2, 'the next run is executed');
    executor.end(second);
    await waitUntil(isIn(second, 'succeeded'), 'the next run has succeeded');
    expect(queue.run(first)).toMatchObject({ state: 'succeeded', attempt: 1 });
    expect(executor.requests.map(({ input }) => input.run.id)).toEqual([first, second]);
  });

  it('leaves the runs that it executes alone when it looks for those that nothing executes', async () => {
    const it = open({ concurrency: 2 });
    await begin(it);
    const first = addRun();
    it.wake('payments');
    await waitUntil(() => executor.running === 1, 'the first run is executed');
    let failures = 0;
    queue.before = (operation) => {
      if (operation === 'claim' && failures++ === 0) throw new AppError('storage_unavailable', 'no connection');
    };
    const second = addRun();
    it.wake('payments');
    await waitUntil(() => executor.running === 2, 'the second run is executed');
    expect(executor.requests.map(({ input }) => input.run.id)).toEqual([first, second]);
    executor.endAll();
    await waitUntil(isIn(second, 'succeeded'), 'both runs have ended');
    expect(queue.run(first)).toMatchObject({ state: 'succeeded', attempt: 1 });
  });

  it('reports an end to observers that was stored although its answer was lost', async () => {
    const ended: string[] = [];
    const it = open({ observer: { onClaimed: () => {}, onEnded: ({ id }) => ended.push(id) } });
    await begin(it);
    const run = addRun();
    it.wake('payments');
    await waitUntil(() => executor.running === 1, 'the run is executed');
    let lost = 0;
    queue.after = (operation) => {
      if (operation === 'finish' && lost++ === 0) throw new AppError('storage_unavailable', 'no answer');
    };
    executor.end(run);
    await waitUntil(() => ended.length > 0, 'the observer knows the end');
    expect([ended, queue.run(run).state]).toEqual([[run], 'succeeded']);
  });

  it('ends a run as failed, with the reason, if its end can never be stored', async () => {
    const it = open({ concurrency: 1 });
    await begin(it);
    const [run, next] = [addRun(), addRun()];
    it.wake('payments');
    await waitUntil(() => executor.running === 1, 'the run is executed');
    executor.end(run, { state: 'succeeded', error: null, exitCode: 1e99 });
    await waitUntil(isIn(run, 'failed'), 'the run has ended');
    expect(queue.run(run)).toMatchObject({
      error: expect.stringMatching(/^the end of the run cannot be stored: .*exit_code/),
      exitCode: null,
    });
    await waitUntil(() => executor.requests.length === 2, 'the next run starts');
    executor.end(next);
    await waitUntil(isIn(next, 'succeeded'), 'the next run has ended');
  });

  it('reports an end that has not been recorded for a minute, until it is', async () => {
    let nowMs = Date.now();
    const it = open({ clock: { ...systemClock, wallMs: () => nowMs } });
    await begin(it);
    const run = addRun();
    it.wake('payments');
    await waitUntil(() => executor.running === 1, 'the run is executed');
    let isDown = true;
    let attempts = 0;
    queue.before = (operation) => {
      if (operation !== 'finish') return;
      attempts += 1;
      if (isDown) throw new AppError('storage_unavailable', 'the disk is full');
    };
    executor.end(run);
    await waitUntil(() => attempts > 0, 'recording has failed');
    expect(it.recordFailure('payments')).toBeNull();
    const since = nowMs;
    nowMs += 60_000;
    expect(it.recordFailure('payments')).toEqual({ problem: 'the disk is full', since });
    expect(it.recordFailure('other')).toBeNull();
    isDown = false;
    await waitUntil(isIn(run, 'succeeded'), 'the end is recorded');
    await waitUntil(() => it.recordFailure('payments') === null, 'the failure has ended');
  });

  it('retries a failed run at the time that its automation names, and explains why it waits', async () => {
    const input = makeRunInput({ run: { id: newRunId(), state: 'queued', executor: null } });
    queue.add(input, { retry: { maxAttempts: 2, backoff: '1s' } });
    const { id } = input.run;
    const it = open({ concurrency: 1 });
    await begin(it);
    for (const attempt of [1, 2]) {
      await waitUntil(() => executor.running === 1, `attempt ${attempt} is executed`);
      expect(queue.run(id)).toMatchObject({ state: 'running', attempt });
      executor.end(id, { state: 'failed', error: 'exit code 3', exitCode: 3 });
      await waitUntil(() => queue.run(id).state !== 'running', `attempt ${attempt} has ended`);
      if (attempt === 1) {
        expect(it.explainWait(queue.run(id))).toEqual({
          reason: 'backoff',
          text: expect.stringMatching(
            /^Attempt 1 failed\. Attempt 2 starts at 2.*Z, according to the retry settings of the automation\.$/,
          ),
        });
      }
    }
    expect(queue.run(id)).toMatchObject({ state: 'failed', attempt: 2, error: 'exit code 3' });
  });

  it('explains that a run waits for a slot if its quiet time or its delay has passed', async () => {
    addRun();
    const it = open({ concurrency: 1 });
    await begin(it);
    await waitUntil(() => executor.running === 1, 'the only slot is in use');
    const now = systemClock.wallMs();
    for (const gate of ['debounce', 'backoff'] as const) {
      const explain = (notBefore: number) => it.explainWait({ ...waitingIn('payments'), gate, notBefore }).reason;
      expect([explain(now + 60_000), explain(now)]).toEqual([gate, 'concurrency_limit']);
    }
  });

  it('cancels a running command that a newer run replaces, and starts the newer one', async () => {
    const keyed = (gate: Run['gate']) => {
      const run = { id: newRunId(), state: 'queued', executor: null, concurrencyKey: '[7]', gate } as const;
      queue.add(makeRunInput({ run }), { concurrency: { key: 'number', mode: 'latest', cancelRunning: true } });
      return run.id;
    };
    const [old, changes] = [keyed(null), [] as string[]];
    const it = open({
      concurrency: 1,
      onRunChanged: (id) => changes.push(`${id === old ? 'old' : 'new'} ${queue.run(id).state}`),
    });
    await begin(it);
    await waitUntil(() => executor.running === 1, 'the first run is executed');
    const newer = keyed('arrived');
    it.onRunsCreated('payments', [{ concurrencyKey: '[7]' }]);
    await waitUntil(isIn(newer, 'running'), 'the newer run is executed');
    expect(queue.run(old)).toMatchObject({ state: 'cancelled', error: 'superseded', supersededBy: newer });
    executor.end(newer);
    await waitUntil(isIn(newer, 'succeeded'), 'the newer run has succeeded');
    expect(changes).toEqual(['old running', 'old cancelled', 'new running', 'new succeeded']);
  });

  it('retries a run that has ended as its next attempt', async () => {
    const changes: string[] = [];
    const run = addRun();
    const observed: string[] = [];
    const observer: RunObserver = {
      onClaimed: ({ attempt, createdAt }, queuedAt) => observed.push(`claimed ${attempt} ${queuedAt === createdAt}`),
      onEnded: ({ attempt }, { state }) => observed.push(`${state} ${attempt}`),
    };
    const it = open({ onRunChanged: (id) => changes.push(queue.run(id).state), observer });
    await begin(it);
    await waitUntil(() => executor.running === 1, 'the first attempt is executed');
    expect(await it.retry(run, ALICE)).toBe('unfinished');
    executor.end(run, { state: 'failed', error: 'exit code 3', exitCode: 3 });
    await waitUntil(isIn(run, 'failed'), 'the first attempt has failed');
    expect(await it.retry(run, ALICE)).toBe('queued');
    await waitUntil(() => executor.running === 1, 'the second attempt is executed');
    expect(queue.run(run)).toMatchObject({ attempt: 2, error: null });
    executor.end(run);
    await waitUntil(isIn(run, 'succeeded'), 'the second attempt has succeeded');
    expect(changes).toEqual(['running', 'failed', 'queued', 'running', 'succeeded']);
    expect(observed).toEqual(['claimed 1 true', 'failed 1', 'claimed 2 false', 'succeeded 2']);
    expect(await queue.attemptsOf(run)).toMatchObject([
      {
        number: 1,
        state: 'failed',
        error: 'exit code 3',
        exitCode: 3,
        requestedAt: null,
        requestedBy: null,
        logOffset: 0,
      },
      { number: 2, state: 'succeeded', error: null, exitCode: 0, requestedBy: ALICE, worker: null, logOffset: 12 },
    ]);
    expect(await it.retry(newRunId(), ALICE)).toBe('not_found');
  });

  it('claims as many runs as there are free slots, and fills a slot as soon as it is free', async () => {
    const limits: number[] = [];
    const claim = queue.claim.bind(queue);
    queue.claim = (request) => {
      limits.push(request.limit + executor.running);
      return claim(request);
    };
    for (let i = 0; i < 20; i++) addRun();
    await begin(open({ concurrency: 3 }));
    for (let ended = 0; ended < 20; ended++) {
      await waitUntil(() => executor.running === Math.min(3, 20 - ended), 'the slots are full');
      executor.end(executor.requests[ended]!.input.run.id);
    }
    await waitUntil(() => queue.states().every((state) => state === 'succeeded'), 'all have succeeded');
    expect(executor.highest).toBe(3);
    expect(Math.max(...limits)).toBeLessThanOrEqual(3);
    expect(executor.requests).toHaveLength(20);
  });

  it('starts no run of a paused factory or automation, says who paused it, and starts them when it is resumed', async () => {
    const it = open({ concurrency: 4 });
    await begin(it);
    await it.pauses.pause({ factory: 'payments', automation: 'fix-errors', reason: 'Too many pull requests' }, ALICE);
    const paused = addRun({ automation: 'fix-errors' });
    const other = addRun({ automation: 'other' });
    it.wake('payments');
    await waitUntil(isIn(other, 'running'), 'the run of the other automation is executed');
    expect(queue.run(paused)).toMatchObject({ state: 'queued', gate: 'paused' });
    const { reason, text } = it.explainWait(queue.run(paused));
    expect(reason).toBe('paused');
    expect(text).toMatch(
      /^alice paused automation fix-errors at \S+Z\. Reason: Too many pull requests\. .*'dockbell resume --factory payments --automation fix-errors'\.$/,
    );
    expect(it.explainWait(waitingIn('payments', 'other')).reason).not.toBe('paused');
    await it.pauses.resume({ factory: 'payments', automation: 'fix-errors' });
    await waitUntil(isIn(paused, 'running'), 'the resumed run is executed');
    await it.pauses.pause({ factory: 'payments', automation: '', reason: null }, ALICE);
    const last = addRun({ automation: 'third' });
    it.wake('payments');
    expect(it.explainWait(queue.run(last)).text).toMatch(
      /^alice paused factory payments at \S+Z\. To start runs again,/,
    );
    await it.stop(ending(0));
    expect(queue.run(last).state).toBe('queued');

    const next = open({ concurrency: 4 });
    await begin(next);
    expect(next.explainWait(queue.run(last)).reason).toBe('paused');
    await next.pauses.resume({ factory: 'payments', automation: '' });
    await waitUntil(isIn(last, 'running'), 'the pause outlived the first daemon, and ended');
  });

  it('shows the pauses of a renamed factory under its new name', async () => {
    const it = open();
    await begin(it);
    await it.pauses.pause({ factory: 'payments', automation: '', reason: null }, ALICE);
    const [stored] = await queue.pauses.list();
    await queue.pauses.resume(stored!);
    await queue.pauses.pause({ ...stored!, factory: 'renamed' });
    expect(it.pauses.explain('renamed', 'fix-errors')).toBeNull();
    await it.pauses.reload();
    expect(it.pauses.explain('renamed', 'fix-errors')).toContain('paused factory renamed');
    expect(it.pauses.explain('payments', 'fix-errors')).toBeNull();
  });

  it('starts runs over a budget when it allows them, without another wake', async () => {
    const it = open({ concurrency: 4 });
    const policy = { budget: { runs: 1, per: '1s' } };
    const first = addRun({}, {}, policy);
    const second = addRun({}, {}, policy);
    await begin(it);
    await waitUntil(isIn(first, 'running'), 'the first run is executed');
    await waitUntil(() => queue.run(second).gate === 'budget', 'the second run waits');
    expect(it.explainWait(queue.run(second))).toMatchObject({ reason: 'budget' });
    await waitUntil(isIn(second, 'running'), 'the second run is executed after the period');
  });

  it('explains that the budget of a factory keeps its runs from starting', async () => {
    const budget = { runs: 1, perMs: 3_600_000, over: 'queue' } as const;
    const it = open({ executors: new Map([['payments', { executor, concurrency: 4, budget }]]) });
    const first = addRun();
    const second = addRun();
    await begin(it);
    await waitUntil(isIn(first, 'running'), 'the first run is executed');
    await waitUntil(() => it.explainWait(queue.run(second)).reason === 'budget', 'the second run waits for the budget');
    expect(it.explainWait(queue.run(second)).text).toContain('runs.budget of factory payments');
    expect(queue.run(second).state).toBe('queued');
  });

  it('explains why queued runs wait', async () => {
    const terms = { concurrency: 1, leaseMs: 60_000, timeoutMs: 60_000, retry: 'never' } as const;
    const workers = new Map([
      ['pulled', { ...terms, hasExecutor: true }],
      ['forgotten', { ...terms, hasExecutor: false }],
    ]);
    const first = addRun();
    addRun({ factory: 'pulled' });
    const it = open({ concurrency: 1, workers });
    const explain = (factory: string) => it.explainWait(waitingIn(factory)).reason;
    expect(explain('payments')).toBe('recovering');
    await begin(it);
    await waitUntil(() => executor.running === 1, 'the slot is taken');
    expect(it.explainWait(waitingIn('payments'))).toEqual({
      reason: 'concurrency_limit',
      text: 'runs.concurrency is reached: 1 of 1 slots are in use.',
    });
    expect([explain('pulled'), explain('forgotten'), explain('removed')]).toEqual([
      'no_worker',
      'no_executor',
      'factory_not_configured',
    ]);
    await it.workers.claim(claimOrder({ factories: ['forgotten', 'pulled'] }));
    expect([explain('pulled'), explain('forgotten')]).toEqual(['concurrency_limit', 'no_worker']);
    executor.end(first);
    await waitUntil(() => explain('payments') === 'starting', 'the slot is free');
    await it.stop(ending(0));
    expect(explain('payments')).toBe('stopping');
  });

  it('leaves runs of a factory without an executor queued', async () => {
    const id = addRun({ factory: 'elsewhere' });
    const it = open();
    await begin(it);
    it.wake('elsewhere');
    const other = addRun();
    it.wake('payments');
    await waitUntil(isIn(other, 'running'), 'the other factory continues');
    expect(queue.run(id).state).toBe('queued');
  });

  it('claims nothing before its recovery', async () => {
    addRun();
    const operations: string[] = [];
    queue.before = (operation) => {
      operations.push(operation);
    };
    const it = open();
    it.wake('payments');
    await begin(it);
    await waitUntil(() => executor.running === 1, 'the run is executed');
    // What commands left behind. What workers and receivers hold counts for the claim, too.
    expect(operations.slice(0, 2)).toEqual(['running', 'claim']);
  });

  it('survives a listener that throws', async () => {
    const id = addRun();
    const options = {
      onRunChanged: () => {
        throw new Error('listener');
      },
    };
    await begin(open(options));
    await waitUntil(() => executor.running === 1, 'the run is executed');
    executor.endAll();
    await waitUntil(isIn(id, 'succeeded'), 'it has succeeded');
  });
});

describe('secrets of a run', () => {
  it('are those that the automation lists, at their latest version', async () => {
    const id = addRun({}, { secrets: ['CI_TOKEN', 'OTHER'] });
    const users: unknown[] = [];
    const resolve = async (name: string, user: unknown) => {
      users.push(user);
      return { outcome: 'found' as const, version: 7, value: new SecretValue(`value of ${name}`) };
    };
    await begin(open({ secrets: { resolve } }));
    await waitUntil(isIn(id, 'running'), 'it runs');
    await waitUntil(() => executor.running === 1, 'it is executed');
    const { secrets } = executor.requests[0]!;
    expect([...secrets].map(([name, value]) => [name, value.reveal()])).toEqual([
      ['CI_TOKEN', 'value of CI_TOKEN'],
      ['OTHER', 'value of OTHER'],
    ]);
    expect(users).toEqual(['CI_TOKEN', 'OTHER'].map(() => ({ factory: 'payments', use: 'run' })));
  });

  it.each(['missing', 'outside_scope'] as const)('fail the run if one is %s, in the same words', async (outcome) => {
    const id = addRun({}, { secrets: ['CI_TOKEN'] });
    await begin(open({ secrets: { resolve: async () => ({ outcome }) } }));
    await waitUntil(isIn(id, 'failed'), 'it has failed');
    expect(queue.run(id).error).toMatch(
      /^there is no team secret named CI_TOKEN that runs of the factory payments may use; create it: .*--add$/,
    );
    expect(executor.requests).toHaveLength(0);
  });

  it('fail the run if they are not a list of names', async () => {
    const id = addRun({}, { secrets: 'CI_TOKEN' });
    await begin(open());
    await waitUntil(isIn(id, 'failed'), 'it has failed');
    expect(queue.run(id).error).toMatch(/not a list of names/);
  });

  it('are read again while the storage is busy', async () => {
    const id = addRun({}, { secrets: ['CI_TOKEN'] });
    let calls = 0;
    const resolve = async () => {
      if (calls++ === 0) throw new AppError('storage_unavailable', 'busy');
      return { outcome: 'found' as const, version: 1, value: new SecretValue('x') };
    };
    await begin(open({ secrets: { resolve } }));
    await waitUntil(() => executor.running === 1, 'it is executed');
    executor.end(id);
    await waitUntil(isIn(id, 'succeeded'), 'it has succeeded');
  });
});

describe('a storage that fails', () => {
  it('is retried while claiming', async () => {
    let failures = 2;
    queue.before = (operation) => {
      if (operation === 'claim' && failures-- > 0) throw new AppError('storage_unavailable', 'busy');
    };
    addRun();
    await begin(open());
    await waitUntil(() => executor.running === 1, 'the run is executed');
  });

  it('is retried while finishing, and the slot stays in use until then', async () => {
    let broken = true;
    queue.before = (operation) => {
      if (operation === 'finish' && broken) throw new AppError('storage_unavailable', 'busy');
    };
    const first = addRun();
    const second = addRun();
    const it = open({ concurrency: 1 });
    await begin(it);
    await waitUntil(() => executor.running === 1, 'the first is executed');
    executor.end(first);
    it.wake('payments');
    await waitUntil(() => executor.running === 0, 'it has ended');
    expect(await it.cancel(first)).toBe('finished');
    expect(queue.run(second).state).toBe('queued');
    broken = false;
    await waitUntil(isIn(first, 'succeeded'), 'its end is recorded');
    await waitUntil(isIn(second, 'running'), 'the second has the slot');
  });

  it('is retried while recovering', async () => {
    let failures = 1;
    queue.before = (operation) => {
      if (operation === 'running' && failures-- > 0) throw new AppError('storage_unavailable', 'busy');
    };
    const id = addRun({ state: 'running', executor: 'command' });
    await begin(open());
    await waitUntil(() => executor.running === 1, 'the run is executed');
    expect(queue.run(id).attempt).toBe(1);
  });

  it('does not prevent a stop of the dispatcher', async () => {
    const id = addRun();
    await begin(open());
    await waitUntil(() => executor.running === 1, 'the run is executed');
    queue.before = () => {
      throw new AppError('storage_broken', 'gone');
    };
    await dispatcher!.stop(ending(0));
    expect(queue.run(id).state).toBe('running');
  });
});

describe('after a crash', () => {
  it('a run without a start record starts as the same attempt, one with a record ends as interrupted', async () => {
    const never = addRun({ state: 'running', executor: 'command' });
    const started = addRun({ state: 'running', executor: 'command' });
    executor.startRecords.add(started);
    const changes: string[] = [];
    await begin(open({ onRunChanged: (id) => changes.push(id) }));
    expect(queue.run(started)).toMatchObject({ state: 'failed', error: 'interrupted', attempt: 1 });
    await waitUntil(() => executor.running === 1, 'the other is executed');
    expect(executor.requests.map(({ input }) => input.run.id)).toEqual([never]);
    expect(queue.run(never)).toMatchObject({ state: 'running', attempt: 1 });
    expect(changes).toEqual(expect.arrayContaining([never, started]));
  });

  it('the processes of an interrupted run are ended before it is recorded or retried', async () => {
    const id = addRun({ state: 'running', executor: 'command' });
    executor.startRecords.add(id);
    const seen: string[] = [];
    executor.endLeftovers = async (run) => {
      seen.push(`${run.id} ${queue.run(id).state} ${queue.run(id).attempt}`);
    };
    await begin(open({ retryInterrupted: true }));
    expect(seen).toEqual([`${id} running 1`]);
  });

  it('a run whose start record cannot be read counts as started', async () => {
    const id = addRun({ state: 'running', executor: 'command' });
    executor.wasStarted = async () => {
      throw new Error('EIO');
    };
    await begin(open());
    expect(queue.run(id)).toMatchObject({ state: 'failed', error: 'interrupted' });
  });

  it('a run of a factory that no longer has an executor ends as interrupted', async () => {
    const id = addRun({ state: 'running', executor: 'command', factory: 'removed' });
    await begin(open());
    expect(queue.run(id)).toMatchObject({ state: 'failed', error: 'interrupted' });
  });

  it('with `retry: interrupted`, a run with a start record is queued as its next attempt, up to the third', async () => {
    const again = addRun({ state: 'running', executor: 'command' });
    const enough = addRun({ state: 'running', executor: 'command', attempt: 3 });
    executor.startRecords.add(again).add(enough);
    const observed: string[] = [];
    const observer: RunObserver = {
      onClaimed: ({ id, attempt }) => observed.push(`${id} claimed ${attempt}`),
      onEnded: ({ id, attempt }, { state }) => observed.push(`${id} ${state} ${attempt}`),
    };
    await begin(open({ retryInterrupted: true, observer }));
    await waitUntil(() => executor.running === 1, 'one is executed');
    // Metrics and traces count each attempt once.
    expect(observed.toSorted()).toEqual([`${again} failed 1`, `${again} claimed 2`, `${enough} failed 3`].toSorted());
    expect(queue.run(again)).toMatchObject({ state: 'running', attempt: 2 });
    expect(queue.run(enough)).toMatchObject({ state: 'failed', error: 'interrupted', attempt: 3 });
    expect(await queue.attemptsOf(again)).toMatchObject([
      { number: 1, state: 'failed', error: 'interrupted' },
      { number: 2, state: 'running', requestedBy: null },
    ]);
  });
});

describe('cancel', () => {
  it('ends a queued run immediately', async () => {
    const id = addRun({ factory: 'elsewhere' });
    await begin(open());
    expect(await dispatcher!.cancel(id)).toBe('cancelled');
    expect(queue.run(id).state).toBe('cancelled');
  });

  it('stops a running run', async () => {
    const id = addRun();
    await begin(open());
    await waitUntil(() => executor.running === 1, 'it is executed');
    expect(await dispatcher!.cancel(id)).toBe('cancelling');
    await waitUntil(isIn(id, 'cancelled'), 'it is cancelled');
  });

  it('finds a run that is being claimed at that moment', async () => {
    const id = addRun();
    const letGo = holdClaims();
    await begin(open());
    await waitUntil(isIn(id, 'running'), 'the claim is in progress');
    const cancelled = dispatcher!.cancel(id);
    letGo();
    expect(await cancelled).toBe('cancelling');
    await waitUntil(isIn(id, 'cancelled'), 'it is cancelled');
  });

  it('reports runs that it did not find running', async () => {
    const ended = addRun({ state: 'succeeded' });
    await begin(open());
    expect(await dispatcher!.cancel(ended)).toBe('finished');
    expect(await dispatcher!.cancel(newRunId())).toBe('not_found');
  });
});

describe('stop', () => {
  it('stops the current runs, records them as interrupted and claims nothing more', async () => {
    const [first, second, third] = [addRun(), addRun(), addRun()];
    await begin(open());
    await waitUntil(() => executor.running === 2, 'two are executed');
    await dispatcher!.stop(ending(1234));
    expect(executor.requests.map(({ signal }) => signal.reason)).toEqual([
      expect.objectContaining({ cause: 'interrupted', graceMs: 1234 }),
      expect.objectContaining({ cause: 'interrupted', graceMs: 1234 }),
    ]);
    for (const id of [first, second]) expect(queue.run(id)).toMatchObject({ state: 'failed', error: 'interrupted' });
    dispatcher!.wake('payments');
    expect(queue.run(third).state).toBe('queued');
  });

  it('releases a run that a claim returns meanwhile', async () => {
    const id = addRun();
    const letGo = holdClaims();
    await begin(open());
    await waitUntil(isIn(id, 'running'), 'the claim is in progress');
    const stopped = dispatcher!.stop(ending(0));
    letGo();
    await stopped;
    expect(queue.run(id)).toMatchObject({ state: 'queued', attempt: 1 });
    expect(executor.requests).toHaveLength(0);
  });

  it('releases a run that it stopped before its start record existed', async () => {
    const id = addRun();
    const execute = executor.execute.bind(executor);
    executor.execute = (request) => {
      const result = execute(request);
      executor.startRecords.delete(request.input.run.id);
      return result;
    };
    await begin(open());
    await waitUntil(() => executor.running === 1, 'it is being prepared');
    await dispatcher!.stop(ending(0));
    expect(queue.run(id)).toMatchObject({ state: 'queued', attempt: 1 });
  });
});

describe('the life of a dispatcher', () => {
  /** Counts what each recovery and claim asks the queue. */
  function countCalls(): Record<string, number> {
    const calls: Record<string, number> = {};
    queue.before = (operation) => {
      calls[operation] = (calls[operation] ?? 0) + 1;
    };
    return calls;
  }

  it('recovers once if it is started and leads twice', async () => {
    const calls = countCalls();
    const it = open();
    await Promise.all([it.start(), it.start(), it.lead(ENDLESS_TERM), it.lead(ENDLESS_TERM)]);
    await Promise.all([it.start(), it.lead(ENDLESS_TERM)]);
    expect(calls.accepted).toBe(1);
  });

  it('starts when it leads first', async () => {
    const id = addRun();
    await open().lead(ENDLESS_TERM);
    await waitUntil(isIn(id, 'running'), 'it is executed');
  });

  it('ends what only the leader does with the term, and continues it in the next one', async () => {
    const [term, next] = [new AbortController(), new AbortController()];
    const led = { ledExecutors: ['command'], localExecutors: [], retryInterrupted: true } as const;
    const workers = new Map([
      ['pulled', { concurrency: 1, leaseMs: 60_000, timeoutMs: 60_000, hasExecutor: true, retry: 'never' as const }],
    ]);
    const it = open({ ...led, workers });
    const sent = addRun();
    const pulled = addRun({ factory: 'pulled' });
    const order = claimOrder({ factories: ['pulled'], waitMs: 60_000 });
    await it.start();
    await it.lead(term.signal);
    await waitUntil(() => executor.running === 1, 'it is sent');
    const [{ fence } = { fence: 0 }] = await it.workers.claim(order);
    const waiting = it.workers.claim(claimOrder({ factories: ['pulled'], waitMs: 60_000 }));
    // It found nothing, and waits.
    await new Promise(setImmediate);
    term.abort();
    expect(await waiting).toEqual([]);
    await waitUntil(() => executor.running === 0, 'the request has ended');
    await waitUntil(isIn(sent, 'queued'), 'it is to be sent again');
    const calls = countCalls();
    it.onRunsCreated('payments', [{ concurrencyKey: 'a' }]);
    it.wakeAll();
    await expect(it.workers.claim(order)).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect([calls, it.explainWait(waitingIn('payments')).reason]).toEqual([{}, 'recovering']);

    await it.lead(next.signal);
    await waitUntil(isIn(sent, 'running'), 'it is sent again');
    expect(queue.run(sent).attempt).toBe(2);
    expect(await it.workers.heartbeat({ id: pulled, fence }, { log: '', progress: null })).toMatchObject({
      outcome: 'held',
    });
  });

  it('starts nothing after a stop, also if it was never started', async () => {
    const id = addRun();
    const calls = countCalls();
    const it = open();
    await it.stop(ending(0));
    await begin(it);
    it.wake('payments');
    expect([queue.run(id).state, calls]).toEqual(['queued', {}]);
  });

  it('begins neither to claim nor to lead if it is stopped while it starts', async () => {
    const id = addRun();
    let letGo = () => {};
    const recovering = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const calls: string[] = [];
    queue.before = (operation) => {
      calls.push(operation);
      return recovering;
    };
    const it = open();
    const led = it.lead(ENDLESS_TERM);
    const stopped = it.stop(ending(0));
    letGo();
    await Promise.all([led, stopped]);
    expect(calls).toEqual(['running']);
    expect(queue.run(id).state).toBe('queued');
    expect(it.explainWait(waitingIn('payments')).reason).toBe('stopping');
  });

  it('ends the grace period of a stop when it has to hurry', async () => {
    addRun();
    const it = open();
    await begin(it);
    await waitUntil(() => executor.running === 1, 'it is executed');
    const hurry = new AbortController();
    const end = executor.end.bind(executor);
    executor.end = () => {};
    const stopped = Promise.all([
      it.stop({ ...ending(60_000), hurry: hurry.signal }),
      it.stop({ ...ending(60_000), hurry: hurry.signal }),
    ]);
    const { reason } = executor.requests[0]!.signal;
    expect([reason.graceMs, reason.force.aborted]).toEqual([60_000, false]);
    hurry.abort();
    expect(reason.force.aborted).toBe(true);
    executor.end = end;
    executor.endAll();
    await stopped;
  });

  it('leaves no grace period if it has to hurry already', async () => {
    addRun();
    const it = open();
    await begin(it);
    await waitUntil(() => executor.running === 1, 'it is executed');
    await it.stop({ ...ending(60_000), hurry: AbortSignal.abort() });
    const { reason } = executor.requests[0]!.signal;
    expect([reason.graceMs, reason.force.aborted]).toEqual([0, true]);
  });
});

describe('a drain', () => {
  it('starts no run until it is cancelled, and releases a run that a claim returns meanwhile', async () => {
    const id = addRun();
    const letGo = holdClaims();
    await begin(open());
    await waitUntil(isIn(id, 'running'), 'the claim is in progress');
    dispatcher!.drain.drain();
    letGo();
    await waitUntil(isIn(id, 'queued'), 'it is released');
    dispatcher!.wake('payments');
    expect(dispatcher!.drain.state()).toMatchObject({ phase: 'draining', executing: 0 });
    expect(executor.requests).toHaveLength(0);
    dispatcher!.drain.resume();
    await waitUntil(() => executor.running === 1, 'it is executed');
    expect(dispatcher!.drain.state()).toMatchObject({ phase: 'running', since: null, executing: 1 });
  });

  it('gives workers no run', async () => {
    const terms = { concurrency: 1, leaseMs: 60_000, timeoutMs: 60_000, retry: 'never', hasExecutor: true } as const;
    const workers = new Map([['pulled', terms]]);
    addRun({ factory: 'pulled' });
    await begin(open({ workers }));
    const claim = () => dispatcher!.workers.claim(claimOrder({ factories: ['pulled'] }));
    dispatcher!.drain.drain();
    expect(await claim()).toEqual([]);
    dispatcher!.drain.resume();
    expect(await claim()).toHaveLength(1);
    expect(dispatcher!.drain.state().held).toBe(1);
  });

  it('before a stop cannot be cancelled, and waits for the current runs', async () => {
    addRun();
    await begin(open());
    await waitUntil(() => executor.running === 1, 'it is executed');
    let isFinished = false;
    const finished = dispatcher!.finish().then(() => {
      isFinished = true;
    });
    expect(() => dispatcher!.drain.resume()).toThrow('The daemon is stopping.');
    await new Promise(setImmediate);
    expect(isFinished).toBe(false);
    executor.endAll();
    await finished;
  });
});

describe('changed terms', () => {
  it('start new runs with the new executor, while runs of the old one end as they began', async () => {
    const first = addRun();
    await begin(open({ concurrency: 1 }));
    await waitUntil(() => executor.running === 1, 'it is executed');
    const other = new ScriptedExecutor();
    dispatcher!.setTerms({
      executors: new Map([['payments', { executor: other, concurrency: 2 }]]),
      workers: new Map(),
    });
    addRun();
    dispatcher!.wake('payments');
    await waitUntil(() => other.running === 1, 'the second is executed');
    executor.endAll();
    await waitUntil(isIn(first, 'succeeded'), 'the first has succeeded');
  });

  it('let this daemon lead while a command runs whose factory has a receiver now', async () => {
    addRun();
    const it = open({ ledExecutors: ['http'] });
    await it.start();
    await waitUntil(() => executor.running === 1, 'it is executed');
    const receiver = Object.assign(new ScriptedExecutor(), { type: 'http' });
    it.setTerms({ executors: new Map([['payments', { executor: receiver, concurrency: 1 }]]), workers: new Map() });
    await it.lead(ENDLESS_TERM);
    expect(executor.running).toBe(1);
  });

  it('start no run of a factory that the configuration no longer has', async () => {
    const first = addRun();
    await begin(open());
    await waitUntil(() => executor.running === 1, 'it is executed');
    dispatcher!.setTerms({ executors: new Map(), workers: new Map() });
    const second = addRun();
    dispatcher!.wake('payments');
    expect(dispatcher!.explainWait(waitingIn('payments')).reason).toBe('factory_not_configured');
    expect(await dispatcher!.cancel(first)).toBe('cancelling');
    await waitUntil(isIn(first, 'cancelled'), 'the first has ended');
    expect(queue.run(second).state).toBe('queued');
  });
});

/** Claims take their runs but answer only after the returned function is called. */
function holdClaims(): () => void {
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const claim = queue.claim.bind(queue);
  queue.claim = async (request) => {
    const inputs = await claim(request);
    await gate;
    return inputs;
  };
  return letGo;
}

describe('with real processes', () => {
  let workshop: Workshop;
  beforeEach(async () => {
    workshop = await openWorkshop();
  });
  afterEach(() => workshop.close());

  it('a shutdown ends a command that ignores SIGTERM after its grace period', async () => {
    const command = workshop.executor(['sh', '-c', 'trap "" TERM; echo ready; while :; do sleep 0.05; done']);
    const id = addRun();
    await begin(open({ executors: new Map([['payments', { executor: command, concurrency: 1 }]]) }));
    const log = () => workshop.log(id).catch(() => '');
    await waitUntil(async () => (await log()) !== '', 'the command runs');
    await dispatcher!.stop(ending(100));
    expect(queue.run(id)).toMatchObject({ state: 'failed', error: 'interrupted', exitCode: null });
  });

  it('a run that an earlier daemon started is not started again', async () => {
    const command = workshop.executor(['sh', '-c', 'echo started']);
    const executors = new Map([['payments', { executor: command, concurrency: 1 }]]);
    const id = addRun();
    await begin(open({ executors }));
    await waitUntil(isIn(id, 'succeeded'), 'it has succeeded');
    // As the storage would be after a crash between the start and its record.
    queue.forgetEnd(id);
    await dispatcher!.stop(ending(0));
    await begin(open({ executors }));
    expect(queue.run(id)).toMatchObject({ state: 'failed', error: 'interrupted' });
    expect(await workshop.log(id)).toBe('started\n');
  });
});
