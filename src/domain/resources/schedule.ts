import type { DeclaredSchedule } from '../definitions/trigger.ts';
import type { DeliveryId, ScheduleId, WebhookUid } from '../ids.ts';
import { defineFields, type RecordOf } from './fields.ts';
import { count, id, instant, nullable, text } from './value-types.ts';

/** The fields of a schedule that was applied, as far as the storage knows them. */
export const SCHEDULE_FIELDS = defineFields({
  /** Stays the same while the automation has a schedule with this name. */
  id: { type: id<ScheduleId>() },
  factory: { type: text },
  automation: { type: text },
  /** Empty for the schedule that has none. */
  name: { type: text },
  cron: { type: text },
  timezone: { type: text },
  /** When these times were first live: ticks are after it. */
  startedAt: { type: instant },
  /** The latest tick that was recorded or missed. Ticks are after it, also if the clock was set back. */
  passedAt: { type: nullable(instant) },
  /** The latest tick that was recorded, and its entry in the delivery log. */
  firedAt: { type: nullable(instant) },
  delivery: { type: nullable(id<DeliveryId>()) },
  /** Number of ticks at which no daemon ran, and the latest of them. */
  missed: { type: count },
  missedAt: { type: nullable(instant) },
});

/** The state of a schedule of a live automation. */
export interface ScheduleState extends RecordOf<typeof SCHEDULE_FIELDS> {}

/** The schedules of an automation as an apply left them. */
export interface ScheduledAutomation {
  name: string;
  schedules: readonly DeclaredSchedule[];
}

/** The key of the listeners of the webhook `TICK_SOURCE_NAME`, which the registry has before the storage has its UID. */
export const TICK_LISTENERS: WebhookUid = 'wh_schedule';

/** That webhook in the storage. */
export interface TickSource {
  ref: number;
  uid: WebhookUid;
}
