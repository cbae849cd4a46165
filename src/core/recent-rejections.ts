import type { WebhookUid } from './ids.ts';
import type { DeliveryReader } from './ports/deliveries/delivery-log.ts';

/** Entries of the log that are read for one webhook. */
const MAX_READ = 100;
const MAX_ADDRESSES = 5;

/** The most recent requests to a webhook whose credential was not accepted, also if other senders got through since. */
export interface RecentRejections {
  /** Wall time in milliseconds of the first and the last one. */
  since: number;
  lastAt: number;
  count: number;
  /** Why the last one was rejected, as a code. */
  reason: string | null;
  /** The client addresses with the most of them, and the number of others. */
  addresses: string[];
  otherAddresses: number;
}

/** Reads them from the log; `null` if it has none since that time. */
export async function readRejections(
  deliveries: Pick<DeliveryReader, 'list'>,
  { webhookUid, sinceAt }: { webhookUid: WebhookUid; sinceAt: number },
): Promise<RecentRejections | null> {
  const search = { webhookUid, label: 'Rejected (auth)' as const, fromAt: sinceAt, limit: MAX_READ, cursor: null };
  const { data } = await deliveries.list(search);
  const [last] = data;
  if (last === undefined) return null;
  const byAddress = new Map<string, number>();
  for (const { clientAddress, count } of data) {
    byAddress.set(clientAddress, (byAddress.get(clientAddress) ?? 0) + count);
  }
  const ranked = [...byAddress].sort(([, a], [, b]) => b - a).map(([address]) => address);
  return {
    since: data.at(-1)!.receivedAt,
    lastAt: last.receivedAt,
    count: data.reduce((sum, { count }) => sum + count, 0),
    reason: last.reason,
    addresses: ranked.slice(0, MAX_ADDRESSES),
    otherAddresses: Math.max(0, ranked.length - MAX_ADDRESSES),
  };
}
