// Ticks of schedules. In: `schedulesChanged` with each apply. Out: an entry of the log with its run for each tick, stored
// together with the new position of the schedule.
// Next: `compose-tick.ts` for the entry, `due-queue.ts` for which is next, `domain/cron/ticks.ts` for the times.

import { createTicks, type Ticks } from '../../domain/cron/ticks.ts';
import type { CatchUp, DeclaredSchedule } from '../../domain/definitions/trigger.ts';
import { messageOf } from '../../domain/errors.ts';
import type { IdSource } from '../../domain/ids.ts';
import type { ScheduleChanges } from '../../domain/ports/definitions.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { PauseControl } from '../../domain/ports/pauses.ts';
import type { ScheduleStep, ScheduleStore } from '../../domain/ports/schedules.ts';
import type { DeliveryLogEntry, NewRun, RecordOutcome } from '../../domain/resources/delivery.ts';
import type { ScheduledAutomation, ScheduleState, TickSource } from '../../domain/resources/schedule.ts';
import { backoffMs, LOCAL_BACKOFF } from '../../domain/time/backoff.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { Schedule } from '../../domain/time/schedule.ts';
import { workOnEach } from '../../domain/work-on-each.ts';
import { Loop } from '../../platform/loop.ts';
import type { DeliverySource } from '../registry/registry.ts';
import { composeTick } from './compose-tick.ts';
import { DueQueue } from './due-queue.ts';

/** A tick that is later was missed: no daemon ran, or the clock was set. Shorter than the shortest interval, so one tick is on time. */
const ON_TIME_MS = 30_000;
/** The clock is read at least this often, because it may be set. */
const MAX_WAIT_MS = 15_000;
/** Ticks that are recorded at the same time. */
const MAX_TOGETHER = 16;

export interface TickLoopParts {
  store: ScheduleStore;
  /** Where ticks of a factory are recorded; `undefined` before `setSource`. */
  findSource(factory: string): DeliverySource | undefined;
  setSource(factory: string, source: TickSource): void;
  explainPause: PauseControl['explain'];
  clock: Clock;
  ids: Pick<IdSource, 'deliveryId' | 'runId' | 'scheduleId' | 'webhookUid'>;
  schedule: Schedule;
  /** An entry of the delivery log is on disk. */
  onRecorded(entry: DeliveryLogEntry, outcome: RecordOutcome): void;
  onRunsCreated(factory: string, runs: readonly NewRun[]): void;
  logger: Logger;
}

/** A change of the schedules of a factory that the storage does not have. */
interface Change {
  /** The automations that changed; `null` for all. */
  names: ReadonlySet<string> | null;
  failures: number;
  /** Monotonic time before which it is not stored. */
  notBeforeMs: number;
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
 * sets the timer, and a change of a factory concerns only the automations that it names. These do not tick until the change is
 * stored. A change or a tick that cannot be stored is retried, and delays no other.
 */
export class TickLoop {
  readonly #parts: TickLoopParts;
  /** By factory and automation, also while another daemon leads. */
  readonly #declared = new Map<string, Map<string, readonly DeclaredSchedule[]>>();
  /** By factory, automation and name. An entry of the queue that is not in here has been replaced. */
  readonly #live = new Map<string, LiveSchedule>();
  readonly #due = new DueQueue<LiveSchedule>();
  /** By factory. */
  readonly #changes = new Map<string, Change>();
  readonly #loop: Loop;

  constructor(parts: TickLoopParts) {
    this.#parts = parts;
    this.#loop = new Loop({
      turn: (ending) => this.#takeTurn(ending),
      onFailure: (error) => parts.logger.error({ err: error }, 'firing schedules failed, retrying'),
      schedule: parts.schedule,
    });
  }

  /** Begins to tick: this daemon leads until `term` aborts, or until it stops. */
  start(term?: AbortSignal): void {
    if (this.#loop.isRunning) return;
    this.#loop.start({ term });
    for (const factory of this.#declared.keys()) this.#noteChange(factory, null);
  }

  /** Resolves when no change and no tick is being stored. */
  settled(): Promise<void> {
    return this.#loop.settled();
  }

  /** Waits for what is being stored. */
  stop(): Promise<void> {
    return this.#loop.stop();
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
    if (isWhole) this.#noteChange(factory, null);
    else if (scheduled.length > 0 || concerned.length > 0) {
      this.#noteChange(factory, new Set([...concerned, ...scheduled.map(({ name }) => name)]));
    }
  }

  /** Nothing of the factory is live. What is stored stays until the factory is forgotten. */
  remove(factory: string): void {
    this.#declared.delete(factory);
    this.#changes.delete(factory);
    this.#drop(factory, null);
  }

  #noteChange(factory: string, names: Change['names'], failed = { failures: 0, notBeforeMs: 0 }): void {
    if (!this.#loop.isRunning) return;
    const other = this.#changes.get(factory) ?? { names: new Set<string>(), failures: 0, notBeforeMs: 0 };
    this.#changes.set(factory, {
      names: names === null || other.names === null ? null : new Set([...other.names, ...names]),
      failures: Math.max(other.failures, failed.failures),
      notBeforeMs: Math.max(other.notBeforeMs, failed.notBeforeMs),
    });
    this.#drop(factory, names);
    this.#loop.wake();
  }

  async #takeTurn(ending: AbortSignal): Promise<number | null> {
    await workOnEach(this.#takeChanges(), (change) => this.#store(...change), this.#noteUnstored);
    await this.#fireDue(ending);
    return this.#untilNext();
  }

  /** The changes to store now. What changes meanwhile is another one. */
  #takeChanges(): [string, Change][] {
    const nowMs = this.#parts.clock.monotonicMs();
    const due = [...this.#changes].filter(([, { notBeforeMs }]) => notBeforeMs <= nowMs);
    for (const [factory] of due) this.#changes.delete(factory);
    return due;
  }

  /** A change that is not stored is retried until it is: later ones depend on it. */
  #noteUnstored = (error: unknown, [factory, { names, failures }]: [string, Change]): void => {
    const { logger, clock } = this.#parts;
    logger.warn({ factory, problem: messageOf(error) }, 'schedules not stored, retrying');
    const notBeforeMs = clock.monotonicMs() + backoffMs(LOCAL_BACKOFF, failures + 1);
    this.#noteChange(factory, names, { failures: failures + 1, notBeforeMs });
  };

  #drop(factory: string, names: Change['names']): void {
    for (const [key, { state }] of this.#live) {
      if (state.factory === factory && (names === null || names.has(state.automation))) this.#live.delete(key);
    }
  }

  async #store(factory: string, { names }: Change): Promise<void> {
    const { store, ids, clock, setSource } = this.#parts;
    const declared = this.#declared.get(factory);
    if (declared === undefined) return;
    const at = clock.wallMs();
    const changed = names === null ? [...declared.keys()] : [...names];
    const automations = changed.map((name): ScheduledAutomation => ({ name, schedules: declared.get(name) ?? [] }));
    const count = automations.reduce((sum, { schedules }) => sum + schedules.length, 0);
    const newIds = { schedules: Array.from({ length: count }, () => ids.scheduleId(at)), source: ids.webhookUid() };
    const stored = await store.sync({ factory, automations, deleted: [], isWhole: names === null, at, newIds });
    if (stored.source !== null) setSource(factory, stored.source);
    for (const state of stored.schedules) {
      const one = declared.get(state.automation)?.find(({ name }) => (name ?? '') === state.name);
      if (one !== undefined) this.#add(state, one.catchUp);
    }
    // What changed meanwhile ticks when that is stored.
    const later = this.#changes.get(factory);
    if (later !== undefined) this.#drop(factory, later.names);
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

  /** How long to wait until a tick or a change is due; `null` if none will be. */
  #untilNext(): number | null {
    const { clock } = this.#parts;
    const waits = [...this.#changes.values()].map(({ notBeforeMs }) => notBeforeMs - clock.monotonicMs());
    const { firstAt } = this.#due;
    if (firstAt !== null) waits.push(firstAt - clock.wallMs());
    return waits.length === 0 ? null : Math.max(0, Math.min(MAX_WAIT_MS, ...waits));
  }

  async #fireDue(ending: AbortSignal): Promise<void> {
    while (!ending.aborted) {
      const nowMs = this.#parts.clock.wallMs();
      const due = this.#takeDue(nowMs);
      if (due.length === 0) return;
      await Promise.all(due.map((live) => this.#fire(live, nowMs)));
    }
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
}

function keyOf({ factory, automation, name }: ScheduleState): string {
  return JSON.stringify([factory, automation, name]);
}

/** The moment after which the next tick is. */
function passedUntil({ startedAt, passedAt }: ScheduleState): number {
  return Math.max(startedAt, passedAt ?? 0);
}
