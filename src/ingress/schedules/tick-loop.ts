import { createTicks, type Ticks } from '../../domain/cron/ticks.ts';
import { messageOf } from '../../domain/errors.ts';
import type { IdSource } from '../../domain/ids.ts';
import type { ScheduleChanges } from '../../domain/ports/definitions/serving.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { PauseControl } from '../../domain/ports/runs/pause-control.ts';
import type { ScheduleStep, ScheduleStore } from '../../domain/ports/schedules.ts';
import type { DeliveryLogEntry, NewRun, RecordOutcome } from '../../domain/resources/delivery.ts';
import type { ScheduledAutomation, ScheduleState, TickSource } from '../../domain/resources/schedule.ts';
import { backoffMs, LOCAL_BACKOFF } from '../../domain/time/backoff.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { CancelCall, Schedule } from '../../domain/time/schedule.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import type { CatchUp, DeclaredSchedule } from '../../domain/trigger.ts';
import type { DeliverySource } from '../registry/registry.ts';
import { composeTick } from './compose-tick.ts';
import { DueQueue } from './due-queue.ts';

/** A tick that is later was missed: no daemon ran, or the clock was set. Shorter than the shortest interval, so one tick is on time. */
const ON_TIME_MS = 30_000;
/** The clock is read at least this often, because it may be set. */
const MAX_WAIT_MS = 15_000;
/** Ticks that are recorded at the same time. */
const MAX_TOGETHER = 16;

interface TickLoopParts {
  store: ScheduleStore;
  /** Where ticks of a factory are recorded; `undefined` before `setSource`. */
  findSource(factory: string): DeliverySource | undefined;
  setSource(factory: string, source: TickSource): void;
  /** As `PauseControl.explain`. */
  explainPause: PauseControl['explain'];
  clock: Pick<Clock, 'wallMs'>;
  ids: Pick<IdSource, 'deliveryId' | 'runId' | 'scheduleId' | 'webhookUid'>;
  schedule: Schedule;
  /** An entry of the delivery log is on disk. */
  onRecorded(entry: DeliveryLogEntry, outcome: RecordOutcome): void;
  onRunsCreated(factory: string, runs: readonly NewRun[]): void;
  logger: Logger;
}

/** A schedule that ticks. */
interface LiveSchedule {
  state: ScheduleState;
  catchUp: CatchUp;
  ticks: Ticks;
  /** The tick that was on time when it could not be stored. */
  onTime: number | null;
  failures: number;
}

/**
 * Fires the schedules of all live automations. Only the leader does. The cost follows the ticks: the first one that is due
 * sets the timer, and a change of a factory concerns only the automations that it names.
 */
export class TickLoop {
  readonly #parts: TickLoopParts;
  /** By factory and automation, also while another daemon leads. */
  readonly #declared = new Map<string, Map<string, readonly DeclaredSchedule[]>>();
  /** By factory, automation and name. An entry of the queue that is not in here has been replaced. */
  readonly #live = new Map<string, LiveSchedule>();
  readonly #due = new DueQueue<LiveSchedule>();
  /** Changes and ticks take turns. */
  readonly #tasks = new TaskQueue();
  #isStarted = false;
  #isStopped = false;
  #cancelTimer: CancelCall = () => {};

  constructor(parts: TickLoopParts) {
    this.#parts = parts;
  }

  /** Begins to tick: this daemon leads. */
  start(): void {
    if (this.#isStarted || this.#isStopped) return;
    this.#isStarted = true;
    for (const factory of this.#declared.keys()) this.#sync(factory, null);
  }

  /** Resolves when no change and no tick is being stored. */
  settled(): Promise<void> {
    return this.#tasks.whenIdle();
  }

  /** Waits for what is being stored. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    await this.settled();
  }

  /** The schedules of these automations are live. */
  follow({ factory, automations, deleted, isWhole }: ScheduleChanges): void {
    const before = this.#declared.get(factory);
    const declared = isWhole || before === undefined ? new Map<string, readonly DeclaredSchedule[]>() : before;
    const concerned = [...automations.map(({ name }) => name), ...deleted].filter((name) => declared.has(name));
    for (const name of concerned) declared.delete(name);
    const scheduled = automations.filter(({ schedules }) => schedules.length > 0);
    for (const { name, schedules } of scheduled) declared.set(name, schedules);
    this.#declared.set(factory, declared);
    if (isWhole) this.#sync(factory, null);
    else if (scheduled.length > 0 || concerned.length > 0) {
      this.#sync(factory, new Set([...concerned, ...scheduled.map(({ name }) => name)]));
    }
  }

  /** Nothing of the factory is live. What is stored stays until the factory is forgotten. */
  remove(factory: string): void {
    this.#declared.delete(factory);
    for (const [key, { state }] of this.#live) if (state.factory === factory) this.#live.delete(key);
  }

  /** @param names the automations that changed; `null` for all */
  #sync(factory: string, names: ReadonlySet<string> | null): void {
    if (!this.#isStarted || this.#isStopped) return;
    this.#run(async () => {
      const declared = this.#declared.get(factory);
      if (declared === undefined) return;
      await this.#retry(factory, () => this.#store(factory, declared, names));
      this.#arm();
    });
  }

  /** A change that is not stored is tried again until it is: later ones depend on it. */
  async #retry(factory: string, store: () => Promise<void>): Promise<void> {
    for (let failures = 1; !this.#isStopped; failures += 1) {
      try {
        return await store();
      } catch (error) {
        this.#parts.logger.warn({ factory, problem: messageOf(error) }, 'schedules not stored, retrying');
        await new Promise<void>((resolve) => {
          this.#parts.schedule(backoffMs(LOCAL_BACKOFF, failures), resolve);
        });
      }
    }
  }

  async #store(
    factory: string,
    declared: ReadonlyMap<string, readonly DeclaredSchedule[]>,
    names: ReadonlySet<string> | null,
  ): Promise<void> {
    const { store, ids, clock, setSource } = this.#parts;
    const at = clock.wallMs();
    const changed = names === null ? [...declared.keys()] : [...names];
    const automations = changed.map((name): ScheduledAutomation => ({ name, schedules: declared.get(name) ?? [] }));
    const count = automations.reduce((sum, { schedules }) => sum + schedules.length, 0);
    const newIds = { schedules: Array.from({ length: count }, () => ids.scheduleId(at)), source: ids.webhookUid() };
    const stored = await store.sync({ factory, automations, deleted: [], isWhole: names === null, at, newIds });
    if (stored.source !== null) setSource(factory, stored.source);
    for (const [key, { state }] of this.#live) {
      if (state.factory === factory && (names === null || names.has(state.automation))) this.#live.delete(key);
    }
    for (const state of stored.schedules) {
      const one = declared.get(state.automation)?.find(({ name }) => (name ?? '') === state.name);
      if (one !== undefined) this.#add(state, one.catchUp);
    }
  }

  #add(state: ScheduleState, catchUp: CatchUp): void {
    const { logger } = this.#parts;
    try {
      const live = { state, catchUp, ticks: createTicks(state, state.startedAt), onTime: null, failures: 0 };
      this.#live.set(keyOf(state), live);
      this.#enqueue(live);
    } catch (error) {
      // A daemon of an earlier version applied it without a check.
      const { factory, automation, name } = state;
      logger.warn({ factory, automation, schedule: name, problem: messageOf(error) }, 'schedule is not valid');
    }
  }

  #enqueue(live: LiveSchedule, notBefore = 0): void {
    const next = live.ticks.next(passedUntil(live.state));
    if (next !== null) this.#due.add(Math.max(next, notBefore), live);
  }

  #arm(): void {
    this.#cancelTimer();
    const { clock, schedule } = this.#parts;
    const { firstAt } = this.#due;
    if (firstAt === null || this.#isStopped) return;
    const delayMs = Math.min(MAX_WAIT_MS, Math.max(0, firstAt - clock.wallMs()));
    this.#cancelTimer = schedule(delayMs, () => this.#run(() => this.#fireDue()));
  }

  async #fireDue(): Promise<void> {
    while (!this.#isStopped) {
      const nowMs = this.#parts.clock.wallMs();
      const due = this.#takeDue(nowMs);
      if (due.length === 0) break;
      await Promise.all(due.map((live) => this.#fire(live, nowMs)));
    }
    this.#arm();
  }

  #takeDue(nowMs: number): LiveSchedule[] {
    const due: LiveSchedule[] = [];
    while (due.length < MAX_TOGETHER) {
      const live = this.#due.take(nowMs);
      if (live === null) break;
      if (this.#live.get(keyOf(live.state)) === live) due.push(live);
    }
    return due;
  }

  async #fire(live: LiveSchedule, nowMs: number): Promise<void> {
    try {
      const step = this.#composeStep(live, nowMs);
      if (step !== null) await this.#take(live, step);
      live.failures = 0;
      this.#enqueue(live);
    } catch (error) {
      live.failures += 1;
      const { factory, automation, name } = live.state;
      const fields = { factory, automation, schedule: name, problem: messageOf(error) };
      this.#parts.logger.warn(fields, 'tick not stored, retrying');
      this.#enqueue(live, nowMs + backoffMs(LOCAL_BACKOFF, live.failures));
    }
  }

  /** `null` if no tick is due: the clock was set back since. */
  #composeStep(live: LiveSchedule, nowMs: number): ScheduleStep | null {
    const { state, ticks, catchUp } = live;
    const { factory, automation, name, startedAt } = state;
    const { count, latest } = ticks.between(passedUntil(state), nowMs);
    if (latest === null) return null;
    const isOnTime = nowMs - latest <= ON_TIME_MS || live.onTime === latest;
    if (isOnTime) live.onTime = latest;
    const missed = isOnTime ? count - 1 : count;
    const missedAt = missed === 0 ? null : isOnTime ? ticks.between(passedUntil(state), latest - 1).latest : latest;
    const isFired = isOnTime || catchUp === 'latest';
    const entry = isFired ? this.#composeEntry(state, latest, nowMs, missed) : null;
    return { factory, automation, name, startedAt, passedAt: latest, missed, missedAt, entry };
  }

  #composeEntry(schedule: ScheduleState, scheduledAt: number, firedAt: number, missed: number) {
    const { factory, automation } = schedule;
    const source = this.#parts.findSource(factory);
    if (source === undefined) throw new Error(`the factory ${factory} has no source of ticks`);
    const isPaused = this.#parts.explainPause(factory, automation) !== null;
    return composeTick(this.#parts.ids, source, { schedule, scheduledAt, firedAt, missed, isPaused });
  }

  async #take(live: LiveSchedule, step: ScheduleStep): Promise<void> {
    const { store, logger, onRecorded, onRunsCreated } = this.#parts;
    const { factory, automation, name, passedAt, missed, entry } = step;
    const advanced = await store.advance(step);
    // Another daemon led in the meantime, or the schedule was changed: then the change adds it again.
    live.state = { ...live.state, passedAt };
    if (advanced === null) return;
    if (missed > 0) logger.info({ factory, automation, schedule: name, missed }, 'ticks missed');
    if (entry === null || advanced.outcome === null) return;
    onRecorded(entry, advanced.outcome);
    if (advanced.outcome.label === 'Accepted' && entry.runs.length > 0) onRunsCreated(factory, entry.runs);
  }

  #run(task: () => Promise<void>): void {
    this.#tasks
      .run(task)
      .catch((error: unknown) => this.#parts.logger.error({ err: error }, 'schedules stopped unexpectedly'));
  }
}

function keyOf({ factory, automation, name }: ScheduleState): string {
  return JSON.stringify([factory, automation, name]);
}

/** The moment after which the next tick is. */
function passedUntil({ startedAt, passedAt }: ScheduleState): number {
  return Math.max(startedAt, passedAt ?? 0);
}
