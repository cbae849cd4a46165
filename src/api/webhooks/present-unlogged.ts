import type { WebhookUid } from '../../domain/ids.ts';
import type { UnloggedCount, UnloggedCounts } from '../../domain/ports/delivery-log.ts';
import { type Clock, formatInstant } from '../../domain/time/clock.ts';
import { describeUnlogged } from '../../domain/words/unlogged-reasons.ts';

const HOUR_MS = 3_600_000;

export interface UnloggedParts {
  unlogged: Pick<UnloggedCounts, 'list'>;
  clock: Pick<Clock, 'wallMs'>;
}

/** The requests to a webhook that have no entry in the delivery log, the reason of the most recent one first. */
export async function presentUnlogged({ unlogged, clock }: UnloggedParts, webhookUid: WebhookUid) {
  const nowMs = clock.wallMs();
  const since = (sinceAt: number) => unlogged.list({ webhookUid, sinceAt });
  const [all, lastDay, lastHour] = await Promise.all([0, nowMs - 24 * HOUR_MS, nowMs - HOUR_MS].map(since));
  return all!
    .sort((a, b) => b.lastAt - a.lastAt)
    .map(({ reason, count, lastAt }) => {
      const { status, text } = describeUnlogged(reason);
      return {
        reason,
        reason_text: text,
        status,
        last_hour: countOf(lastHour!, reason),
        last_24_hours: countOf(lastDay!, reason),
        last_31_days: count,
        last_at: formatInstant(lastAt),
      };
    });
}

function countOf(counts: readonly UnloggedCount[], reason: string): number {
  return counts.find((one) => one.reason === reason)?.count ?? 0;
}
