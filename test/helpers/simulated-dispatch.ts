import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RunId } from '../../src/domain/ids.ts';
import type { Executor, StartRecords, StopOrder } from '../../src/domain/ports/executor.ts';
import type { RunQueue, RunReader } from '../../src/domain/ports/run-queue.ts';
import type { Run, RunResult } from '../../src/domain/resources/run.ts';
import { Dispatcher } from '../../src/runs/dispatcher.ts';
import { createStartRecords } from '../../src/runs/executors/start-records.ts';
import { makeRunInput, newRunId, silentLogger } from './command-runs.ts';
import { ENDLESS_TERM } from './endless-term.ts';
import { StoredRunQueue } from './stored-run-queue.ts';
import { createMemoryRecords, NO_SECRETS } from './worker-claims.ts';

/** Where a crash can happen: at an operation of the queue, or at the creation of a start record. */
export const CRASH_POINTS = ['claim', 'finish', 'release', 'cancelQueued', 'retry', 'retryFailed', 'create'] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

/** `which` selects a run. `arm` lets the daemon crash at the next operation of that kind, before or after its effect. */
export type Step =
  | { kind: 'add'; count: number }
  | { kind: 'end'; which: number; succeeds: boolean }
  | { kind: 'cancel'; which: number }
  | { kind: 'retry'; which: number }
  | { kind: 'arm'; at: CrashPoint; isAfter: boolean }
  | { kind: 'crash' }
  | { kind: 'stop' };

export interface SimulationOptions {
  /** A new folder. */
  folder: string;
  /** An empty database, which is copied. */
  template: string;
  concurrency: number;
  retryInterrupted: boolean;
  /** A defect: start records are written, but prevent nothing. */
  ignoresStartRecords?: boolean;
}

/** One process of the daemon. After its crash, nothing that it began has an effect or an answer. */
interface Life {
  isOver: boolean;
  dispatcher: Dispatcher;
  /** Attempts that are executed. */
  open: Map<RunId, (result: RunResult) => void>;
}

const ACTOR = { kind: 'local', id: 'usr_a', name: 'alice' } as const;
/** As `retry: interrupted` allows. */
const MOST_INTERRUPTED_ATTEMPTS = 3;
const QUIET_TURNS = 4;
const MOST_ROUNDS = 200;
const UNANSWERED = new Promise<never>(() => {});

/**
 * The dispatcher over a real database file and real start records. Only the clock and the commands are simulated. A crash
 * leaves everything as it is and opens the files again.
 */
export class SimulatedDispatch {
  readonly #options: SimulationOptions;
  readonly #file: string;
  readonly #records: StartRecords;
  #queue: StoredRunQueue;
  #life!: Life;
  #nowMs = 1_700_000_000_000;
  #armed: { at: CrashPoint; isAfter: boolean } | null = null;
  #pending = 0;
  #activity = 0;
  #wasStopped = false;
  /** The first guarantee that an answer violated. */
  #failure: unknown = null;
  readonly #onCrash: (() => void)[] = [];
  readonly #runs: RunId[] = [];
  /** Each start of a command, as `RUN ATTEMPT`. */
  readonly #starts: string[] = [];
  /** How commands ended, by `RUN ATTEMPT`. */
  readonly #ends = new Map<string, string>();
  readonly #cancelRequests = new Set<RunId>();
  /** Ended runs that nobody has retried, as they were last seen. */
  readonly #settled = new Map<RunId, string>();

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.#file = join(options.folder, 'dockbell.db');
    mkdirSync(options.folder);
    copyFileSync(options.template, this.#file);
    this.#records = createStartRecords(join(options.folder, 'tickets'));
    this.#queue = new StoredRunQueue(this.#file);
  }

  /** Takes the steps, checks after each, and then lets everything end. Rejects if a guarantee is violated. */
  async run(steps: readonly Step[]): Promise<void> {
    await this.#open();
    for (const step of steps) {
      this.#nowMs += 1_000;
      await this.#take(step);
      await this.#settle();
      await this.#check();
    }
    this.#armed = null;
    for (let round = 0; this.#count('queued', 'running') > 0; round++) {
      expect(round, 'rounds until all runs have ended').toBeLessThan(MOST_ROUNDS);
      for (const id of [...this.#life.open.keys()]) this.#end(id, true);
      await this.#settle();
      await this.#check();
    }
    await this.#stop();
  }

  async #take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'add':
        for (let n = 0; n < step.count; n++) this.#add();
        return this.#life.dispatcher.wake('payments');
      case 'end':
        return this.#end(pick([...this.#life.open.keys()], step.which), step.succeeds);
      case 'cancel':
        return this.#cancel(pick(this.#runs, step.which));
      case 'retry':
        return this.#retry(pick(this.#runs, step.which));
      case 'arm':
        this.#armed = step;
        return;
      case 'crash':
        return this.#crash();
      case 'stop':
        await this.#stop();
        return this.#open();
    }
  }

  #add(): void {
    const id = newRunId();
    this.#queue.add(makeRunInput({ run: { id, state: 'queued', executor: null, startedAt: null } }));
    this.#runs.push(id);
  }

  #end(id: RunId | undefined, succeeds: boolean): void {
    const resolve = id && this.#life.open.get(id);
    if (!id || !resolve) return;
    this.#life.open.delete(id);
    const result: RunResult = succeeds
      ? { state: 'succeeded', error: null, exitCode: 0 }
      : { state: 'failed', error: 'exit code 3', exitCode: 3 };
    this.#ends.set(keyOf(this.#queue.run(id)), result.state);
    resolve(result);
  }

  /** Not awaited: after a crash, the client gets no answer. */
  #cancel(id: RunId | undefined): void {
    if (!id) return;
    this.#cancelRequests.add(id);
    this.#follow(this.#life.dispatcher.cancel(id), (outcome) => {
      if (outcome === 'cancelled') expect(this.#queue.run(id).state).toBe('cancelled');
    });
  }

  #retry(id: RunId | undefined): void {
    if (!id) return;
    const before = this.#queue.run(id);
    this.#settled.delete(id);
    this.#follow(this.#life.dispatcher.retry(id, ACTOR), (outcome) => {
      expect(outcome).toBe(isOver(before) ? 'queued' : 'unfinished');
    });
  }

  #follow<T>(answer: Promise<T>, onAnswer: (outcome: T) => void): void {
    this.#pending += 1;
    const { isOver } = this.#life;
    void Promise.race([answer, this.#crashed(this.#life)])
      .then((outcome) => {
        if (outcome !== 'crashed' && !isOver) onAnswer(outcome as T);
      })
      .catch((error) => {
        this.#failure ??= error;
      })
      .finally(() => {
        this.#pending -= 1;
      });
  }

  #crashed(life: Life): Promise<'crashed'> {
    if (life.isOver) return Promise.resolve('crashed');
    return new Promise((resolve) => this.#onCrash.push(() => resolve('crashed')));
  }

  #crash(): void {
    this.#life.isOver = true;
    this.#life.open.clear();
    for (const resolve of this.#onCrash.splice(0)) resolve();
  }

  async #stop(): Promise<void> {
    const { dispatcher } = this.#life;
    this.#wasStopped = true;
    await Promise.race([dispatcher.stop({ graceMs: 0, why: 'the daemon stopped' }), this.#crashed(this.#life)]);
    this.#life.isOver = true;
    this.#queue.close();
    if (this.#failure !== null) throw this.#failure;
  }

  async #open(): Promise<void> {
    if (this.#life) this.#queue = new StoredRunQueue(this.#file);
    const life: Life = { isOver: false, open: new Map(), dispatcher: null as unknown as Dispatcher };
    const { concurrency, retryInterrupted } = this.#options;
    const queue = this.#guardQueue(life);
    life.dispatcher = new Dispatcher({
      queue,
      runs: queue,
      pauses: this.#queue.pauses,
      logs: { begin: async () => 0, append: async () => undefined },
      localExecutors: ['command'],
      terms: {
        executors: new Map([['payments', { executor: this.#createExecutor(life), concurrency, retryInterrupted }]]),
        workers: new Map(),
      },
      secrets: NO_SECRETS,
      startRecords: createMemoryRecords(),
      clock: { wallMs: () => this.#nowMs, monotonicMs: () => this.#nowMs },
      logger: silentLogger,
    });
    this.#life = life;
    const begun = life.dispatcher.start().then(() => life.dispatcher!.lead(ENDLESS_TERM));
    await Promise.race([begun, this.#crashed(life)]);
  }

  /** Waits until nothing happens. After a crash, the next daemon starts. */
  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; ) {
      const before = this.#activity;
      await new Promise((resolve) => setImmediate(resolve));
      quiet = this.#pending === 0 && this.#activity === before ? quiet + 1 : 0;
    }
    if (this.#failure !== null) throw this.#failure;
    if (!this.#life.isOver) return;
    this.#queue.close();
    await this.#open();
    await this.#settle();
  }

  #guardQueue(life: Life): RunQueue & Pick<RunReader, 'get' | 'attempts' | 'agentFiles'> {
    const queue = this.#queue;
    const names = [
      'claim',
      'admit',
      'accept',
      'accepted',
      'noteProgress',
      'finish',
      'release',
      'retryFailed',
      'noteLogOffset',
      'cancelQueued',
      'retry',
      'running',
      'get',
      'attempts',
      'agentFiles',
    ] as const;
    const operations = names.map((name) => {
      const operation = queue[name].bind(queue) as (request: never) => Promise<unknown>;
      return [name, (request: never) => this.#guard(life, name, () => operation(request))];
    });
    return Object.fromEntries(operations);
  }

  async #guard<T>(life: Life, name: string, work: () => Promise<T>): Promise<T> {
    if (life.isOver) return UNANSWERED;
    this.#pending += 1;
    this.#activity += 1;
    try {
      if (this.#isCrashPoint(name, false)) this.#crash();
      const result = life.isOver ? UNANSWERED : await work();
      if (!life.isOver && this.#isCrashPoint(name, true)) this.#crash();
      return life.isOver ? UNANSWERED : result;
    } catch (error) {
      if (life.isOver) return UNANSWERED;
      throw error;
    } finally {
      this.#pending -= 1;
    }
  }

  #isCrashPoint(name: string, isAfter: boolean): boolean {
    if (this.#armed?.at !== name || this.#armed.isAfter !== isAfter) return false;
    this.#armed = null;
    return true;
  }

  /** Like the real one, with a command that ends at a step. */
  #createExecutor(life: Life): Executor {
    return {
      type: 'command',
      execute: async ({ input: { run }, signal, onStarted }) => {
        const isCreated = await this.#guard(life, 'create', () => this.#records.create(run.id, run.attempt));
        if (!isCreated && !this.#options.ignoresStartRecords)
          return { state: 'failed', error: 'interrupted', exitCode: null };
        this.#starts.push(keyOf(run));
        onStarted(0);
        return new Promise((resolve) => {
          life.open.set(run.id, resolve);
          const stop = () => {
            if (life.open.delete(run.id)) resolve(describeStop(signal.reason));
          };
          if (signal.aborted) stop();
          else signal.addEventListener('abort', stop);
        });
      },
      wasStarted: async (run, attempt) => !this.#options.ignoresStartRecords && this.#records.exists(run, attempt),
      endLeftovers: async () => undefined,
    };
  }

  /** The guarantees, when nothing is in progress. */
  async #check(): Promise<void> {
    expect(findRepeated(this.#starts), 'attempts that were started twice').toEqual([]);
    const rows = this.#runs.map((id) => this.#queue.run(id));
    const running = rows.filter(({ state }) => state === 'running').map(({ id }) => id);
    expect(running.sort(), 'running runs are executed').toEqual([...this.#life.open.keys()].sort());
    expect(running.length).toBeLessThanOrEqual(this.#options.concurrency);
    if (this.#count('queued') > 0) expect(running.length, 'no slot is free').toBe(this.#options.concurrency);
    for (const run of rows.filter(isOver)) await this.#checkEnd(run);
  }

  async #checkEnd(run: Run): Promise<void> {
    const seen = `${run.state} ${run.attempt} ${run.error}`;
    expect(this.#settled.get(run.id) ?? seen, 'the end of a run stays').toBe(seen);
    this.#settled.set(run.id, seen);
    if (run.state === 'cancelled') expect(this.#cancelRequests, 'somebody cancelled it').toContain(run.id);
    else if (run.error === 'interrupted') await this.#checkInterrupted(run, seen);
    else expect(this.#ends.get(keyOf(run)), 'its command ended so').toBe(run.state);
  }

  async #checkInterrupted(run: Run, seen: string): Promise<void> {
    expect(await this.#records.exists(run.id, run.attempt), seen).toBe(true);
    // A clean stop does not retry.
    if (this.#options.retryInterrupted && !this.#wasStopped)
      expect(run.attempt, seen).toBeGreaterThanOrEqual(MOST_INTERRUPTED_ATTEMPTS);
  }

  #count(...states: Run['state'][]): number {
    return this.#runs.filter((id) => states.includes(this.#queue.run(id).state)).length;
  }
}

function pick<T>(list: readonly T[], which: number): T | undefined {
  return list[which % list.length];
}

function keyOf({ id, attempt }: Run): string {
  return `${id} ${attempt}`;
}

function isOver({ state }: Run): boolean {
  return state !== 'queued' && state !== 'running';
}

function describeStop({ cause }: StopOrder): RunResult {
  return { state: cause === 'cancelled' ? 'cancelled' : 'failed', error: cause, exitCode: null };
}

function findRepeated(texts: readonly string[]): string[] {
  return texts.filter((text, at) => texts.indexOf(text) !== at);
}
