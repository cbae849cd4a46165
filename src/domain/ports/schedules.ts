import type { ScheduleId, WebhookUid } from '../ids.ts';
import type { DeliveryOffer, RecordOutcome } from '../resources/delivery.ts';
import type { ScheduledAutomation, ScheduleState, TickSource } from '../resources/schedule.ts';

/** What an apply made of the schedules of a factory. */
export interface ScheduleChange {
  factory: string;
  /** Created and changed automations, also those that have no schedule now. */
  automations: readonly ScheduledAutomation[];
  deleted: readonly string[];
  /** Is this everything? Otherwise other automations keep their schedules. */
  isWhole: boolean;
  at: number;
  /** One for each schedule that may be new, and for the tick source. */
  newIds: { schedules: ScheduleId[]; source: WebhookUid };
}

/** How far a schedule is. */
export interface ScheduleStep {
  factory: string;
  automation: string;
  name: string;
  /** As stored when the step was composed. If the schedule has changed since, the step has no effect. */
  startedAt: number;
  /** The latest tick of the step. */
  passedAt: number;
  /** Number of its ticks that were missed, and the latest of them. */
  missed: number;
  missedAt: number | null;
  /** The tick that is recorded, with its run. */
  entry: DeliveryOffer | null;
}

/** The state of the schedules of all factories. */
export interface ScheduleStore {
  /**
   * Makes the stored schedules equal to the applied ones. A new schedule, and one whose times differ, starts now. Returns the
   * schedules of the named automations, and the source of their ticks; `null` if the factory never had a schedule.
   */
  sync(change: ScheduleChange): Promise<{ source: TickSource | null; schedules: ScheduleState[] }>;
  /**
   * Stores a step: the tick with its run, and that the schedule has passed it, in one transaction. `null`, and nothing is
   * written, if the schedule has passed the tick already. So a tick is recorded at most once.
   */
  advance(step: ScheduleStep): Promise<{ outcome: RecordOutcome | null } | null>;
}
