import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Activity } from '../../../client/api-types.ts';
import { mergeActivity } from './merge-activity.ts';

const HOUR_MS = 3_600_000;
const formatHour = (hour: number) => new Date(hour * HOUR_MS).toISOString();

/** What the API answers if `counts[webhook][hour]` deliveries arrived. */
function answer(counts: readonly (readonly number[])[], fromHour: number, toHour: number): Activity {
  const hours = Array.from({ length: toHour - fromHour }, (_, index) => fromHour + index);
  const countOf = (webhook: readonly number[], hour: number) => webhook[hour] ?? 0;
  const bucketOf = (hour: number) => {
    const Accepted = counts.reduce((sum, webhook) => sum + countOf(webhook, hour), 0);
    return {
      start: formatHour(hour),
      deliveries: {
        Accepted,
        Duplicate: 0,
        'Rejected (auth)': 0,
        'Rejected (invalid JSON)': 0,
        'Rejected (too large)': 0,
      },
      runs: { queued: 0, running: 0, succeeded: Accepted, failed: 0, cancelled: 0 },
    };
  };
  const webhooks = counts
    .map((webhook, index) => ({ webhook_uid: `wh_${index}`, deliveries: hours.map((hour) => countOf(webhook, hour)) }))
    .filter(({ deliveries }) => deliveries.some((count) => count > 0));
  return {
    factory: 'f',
    from: formatHour(fromHour),
    to: formatHour(toHour),
    bucket: 'hour',
    buckets: hours.map(bucketOf),
    webhooks,
  };
}

const sorted = (activity: Activity) => ({
  ...activity,
  webhooks: [...activity.webhooks].sort((a, b) => a.webhook_uid.localeCompare(b.webhook_uid)),
});

it('equals reading all hours again, if all changes are in the part', () => {
  const size = 6;
  const cases = fc.record({
    before: fc.array(fc.array(fc.nat(2), { maxLength: 20 }), { maxLength: 4 }),
    added: fc.array(fc.array(fc.nat(2), { maxLength: 20 }), { minLength: 4, maxLength: 4 }),
    endHour: fc.integer({ min: size, max: 14 }),
    later: fc.nat(9),
    back: fc.nat(size),
  });
  fc.assert(
    fc.property(cases, ({ before, added, endHour, later, back }) => {
      const toHour = endHour + later;
      const fromHour = Math.max(endHour - back, toHour - size);
      const after = added.map((hours, webhook) =>
        Array.from({ length: 24 }, (_, hour) => {
          const old = hour < endHour ? (before[webhook]?.[hour] ?? 0) : 0;
          return hour >= fromHour ? old + (hours[hour] ?? 0) : old;
        }),
      );
      const cached = answer(before, endHour - size, endHour);
      const merged = mergeActivity(cached, answer(after, fromHour, toHour));
      expect(sorted(merged)).toEqual(sorted(answer(after, toHour - size, toHour)));
    }),
  );
});
