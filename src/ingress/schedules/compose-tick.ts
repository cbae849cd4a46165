import type { IdSource } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Decision, DeliveryOffer, TickReason } from '../../domain/resources/delivery.ts';
import type { ScheduleState } from '../../domain/resources/schedule.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { describeSchedule } from '../../domain/words/automations.ts';
import { countOf } from '../../domain/words/quantities.ts';
import type { DeliverySource } from '../registry/registry.ts';
import { matchDelivery } from '../steps/match-delivery.ts';

/** A tick that fires. */
interface Tick {
  schedule: ScheduleState;
  scheduledAt: number;
  firedAt: number;
  /** Number of ticks that were missed since the one before that fired; itself included, if it is caught up. */
  missed: number;
  isPaused: boolean;
}

/** The name of the event of every tick. */
const EVENT = 'cron_fired';

/**
 * The entry of the delivery log for a tick, with the run that it starts (specification, "Provider triggers and schedules",
 * section 4). Its identity is automation, schedule name and scheduled time.
 */
export function composeTick(
  ids: Pick<IdSource, 'deliveryId' | 'runId'>,
  source: Pick<DeliverySource, 'ref' | 'listeners'>,
  tick: Tick,
): DeliveryOffer {
  const { schedule, scheduledAt, firedAt, isPaused } = tick;
  const { automation, name } = schedule;
  const payload = composePayload(tick);
  const match = matchDelivery(source, { headers: {}, payload }, ids, firedAt, automation);
  const runs = isPaused ? [] : match.runs;
  const reason = isPaused ? 'paused' : runs.length === 0 ? 'disabled' : null;
  const identity = `${automation}/${name}/${formatInstant(scheduledAt)}`;
  const body = new Uint8Array(Buffer.from(JSON.stringify(payload), 'utf8'));
  const decision = describeDecision(tick, reason);
  return {
    kind: 'offer',
    id: ids.deliveryId(firedAt),
    webhook: source.ref,
    size: body.length,
    receivedAt: firedAt,
    clientAddress: '',
    headers: null,
    revision: match.revision,
    summary: `Schedule ${describeSchedule({ ...schedule, name: name === '' ? null : name })}`,
    event: EVENT,
    identity: { source: 'provider', value: identity, key: identity },
    body,
    form: null,
    applyNumber: match.applyNumber,
    runs,
    tick: { reason, decisions: [{ ...decision, automation, run: runs[0]?.id ?? null }] },
  };
}

function composePayload({ schedule, scheduledAt, firedAt, missed }: Tick): JsonObject {
  const { id, automation, name, cron, timezone } = schedule;
  return {
    provider: 'schedule',
    event: EVENT,
    schedule: { id, name: name === '' ? null : name, cron, timezone },
    automation,
    scheduled_at: formatInstant(scheduledAt),
    fired_at: formatInstant(firedAt),
    missed,
  };
}

const MESSAGES: { readonly [reason in TickReason]: string } = {
  disabled: 'the automation is disabled',
  paused: 'the automation is paused',
};

function describeDecision(
  { schedule: { name, cron }, scheduledAt, missed }: Tick,
  reason: TickReason | null,
): Omit<Decision, 'automation' | 'run'> {
  const none = { path: null, expected: null, actual: null };
  if (reason !== null) return { ...none, outcome: reason, message: MESSAGES[reason] };
  const which = name === '' ? `its schedule (${cron})` : `its schedule ${name} (${cron})`;
  const more =
    missed === 0 ? '' : `; ${countOf(missed, 'tick')} since the one before ${missed === 1 ? 'was' : 'were'} missed`;
  return { ...none, outcome: 'started', message: `${which} was due at ${formatInstant(scheduledAt)}${more}` };
}
