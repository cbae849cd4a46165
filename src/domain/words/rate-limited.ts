/** The requests of one minute that exceeded the delivery rate of a webhook. */
interface RateLimitedMinute {
  /** Wall time in milliseconds at which the minute began. */
  startedAt: number;
  count: number;
  /** Client addresses, with the number of their requests. Not all addresses, if there were many. */
  addresses: readonly (readonly [address: string, count: number])[];
}

const MINUTE_MS = 60_000;

/**
 * What lists show in place of a label for an entry that stands for rate-limited requests: the status that senders got. Such
 * an entry has none of the five labels.
 */
export const NO_LABEL = '429';

/** For example: Its label is Duplicate. */
export function describeLabel(label: string | null): string {
  return label === null
    ? 'It has no label, because it counts requests over the delivery rate.'
    : `Its label is ${label}.`;
}

/** For example: 118 requests were rate limited between 02:14 and 02:15 UTC, from 192.0.2.7. */
export function describeRateLimited({ startedAt, count, addresses }: RateLimitedMinute): string {
  const requests = count === 1 ? '1 request was' : `${count} requests were`;
  const between = `between ${formatTime(startedAt)} and ${formatTime(startedAt + MINUTE_MS)} UTC`;
  return `${requests} rate limited ${between}, from ${describeAddresses(count, addresses)}.`;
}

function formatTime(at: number): string {
  return new Date(at).toISOString().slice(11, 16);
}

function describeAddresses(count: number, addresses: RateLimitedMinute['addresses']): string {
  const others = addresses.reduce((rest, [, requests]) => rest - requests, count);
  if (addresses.length === 1 && others === 0) return addresses[0]![0];
  const named = addresses.map(([address, requests]) => `${address} (${requests})`);
  return [...named, ...(others === 0 ? [] : [`others (${others})`])].join(', ');
}
