import type { WebhookUid } from '../ids.ts';
import type { DeliveryReader } from '../ports/delivery-log.ts';
import { REJECTED_LABELS } from '../resources/delivery.ts';

/** Entries of the log that are read for one webhook. */
const MAX_READ = 100;
const MAX_ADDRESSES = 5;

/** The requests to a webhook that were rejected and are in the log, also if other senders got through since. */
export interface RecentRejections {
  count: number;
  /** Number of the most recent ones that all other values are about. Smaller than `count` if there are many. */
  examined: number;
  /** Wall time in milliseconds of the first and the last one. */
  since: number;
  lastAt: number;
  /** Why the last one was rejected, as a code. */
  reason: string | null;
  /** The client addresses with the most of them, and the number of others. */
  addresses: string[];
  otherAddresses: number;
}

/**
 * Reads them from the log; `null` if it has none since that time.
 *
 * @param count number of all since that time; by default, only those that are read are counted
 */
export async function readRejections(
  deliveries: Pick<DeliveryReader, 'list'>,
  { webhookUid, sinceAt, count = 0 }: { webhookUid: WebhookUid; sinceAt: number; count?: number },
): Promise<RecentRejections | null> {
  const pages = REJECTED_LABELS.map((label) =>
    deliveries.list({ webhookUid, label, fromAt: sinceAt, limit: MAX_READ, cursor: null }),
  );
  const found = (await Promise.all(pages)).flatMap(({ data }) => data);
  const data = found.sort((a, b) => b.receivedAt - a.receivedAt).slice(0, MAX_READ);
  const [last] = data;
  if (last === undefined) return null;
  const byAddress = new Map<string, number>();
  for (const entry of data) {
    byAddress.set(entry.clientAddress, (byAddress.get(entry.clientAddress) ?? 0) + entry.count);
  }
  const examined = data.reduce((sum, entry) => sum + entry.count, 0);
  const ranked = [...byAddress].sort(([, a], [, b]) => b - a).map(([address]) => address);
  return {
    // The log may have more by now.
    count: Math.max(count, examined),
    examined,
    since: data.at(-1)!.receivedAt,
    lastAt: last.receivedAt,
    reason: last.reason,
    addresses: ranked.slice(0, MAX_ADDRESSES),
    otherAddresses: Math.max(0, ranked.length - MAX_ADDRESSES),
  };
}
