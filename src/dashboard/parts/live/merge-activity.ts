import type { Activity } from '../../../client/api-types.ts';

/**
 * Replaces the last hours of an activity with those of `part`. If `part` ends later, the same number of the oldest hours is
 * removed.
 *
 * @param part begins at the end of `activity` or earlier, and ends at its end or later
 */
export function mergeActivity(activity: Activity, part: Activity): Activity {
  const size = activity.buckets.length;
  const kept = activity.buckets.filter(({ start }) => start < part.from).length;
  const join = <Value>(before: readonly Value[], after: readonly Value[]): Value[] =>
    [...before.slice(0, kept), ...after].slice(-size);
  const countsOf = ({ webhooks, buckets }: Activity, uid: string) =>
    webhooks.find(({ webhook_uid }) => webhook_uid === uid)?.deliveries ?? buckets.map(() => 0);
  const buckets = join(activity.buckets, part.buckets);
  const uids = new Set([...activity.webhooks, ...part.webhooks].map(({ webhook_uid }) => webhook_uid));
  const webhooks = [...uids]
    .map((uid) => ({ webhook_uid: uid, deliveries: join(countsOf(activity, uid), countsOf(part, uid)) }))
    .filter(({ deliveries }) => deliveries.some((count) => count > 0));
  return { ...activity, from: buckets[0]!.start, to: part.to, buckets, webhooks };
}
