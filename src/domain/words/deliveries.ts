import { countOf } from './quantities.ts';

/** What identifies a delivery, as a noun without an article. */
export const IDENTITY_SOURCE_WORDS = {
  header: 'delivery ID header',
  payload: 'delivery ID in the payload',
  provider: 'delivery header of the provider',
  service_header: 'X-Service-Delivery-Id',
  body_hash: 'hash of the body',
} as const;

/** What identifies the deliveries of a webhook, and when a repeated body counts as a duplicate. */
export const WEBHOOK_IDENTITY_WORDS = {
  header: 'Delivery ID: the delivery ID header. Without it, identical bodies count as duplicates.',
  payload: 'Delivery ID: in the payload. Without it, identical bodies count as duplicates.',
  provider: 'Delivery ID: set by the provider.',
  'service header or body':
    'Delivery ID: X-Service-Delivery-Id. Without it, identical bodies count as duplicates.\nIf the sender sets another header with an event ID, name it as deliveryIdHeader.\nIf the payload contains an event ID, name its path as deliveryIdPath.',
  body: 'Deliveries with identical bodies are duplicates, also if their IDs differ: no signed part of a request identifies it.',
} as const;

/** What identifies the deliveries of a webhook with `deduplicate: false`. */
export const NOT_DEDUPLICATED_WORDS =
  'Every delivery is new (deduplicate: false), also one with a repeated ID or body.';

/** What identifies a delivery, and whether that decided that it is new. */
export function describeIdentitySource(
  source: keyof typeof IDENTITY_SOURCE_WORDS | null,
  isDeduplicated: boolean,
): string | null {
  if (source === null) return null;
  return isDeduplicated ? IDENTITY_SOURCE_WORDS[source] : `${IDENTITY_SOURCE_WORDS[source]}, not deduplicated`;
}

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

/** Whether the name of an event is `wanted`, or begins with it and a dot: `pull_request` stands for all its actions. */
export function isEventOf(name: string | null, wanted: string): boolean {
  return name === wanted || (name?.startsWith(`${wanted}.`) ?? false);
}

/** Where a definition says that the name of the event is. */
export function describeEventPlace({ header, path }: { header?: string; path?: string }): string {
  const parts = [
    ...(header === undefined ? [] : [`header ${header}`]),
    ...(path === undefined ? [] : [`payload ${path}`]),
  ];
  return parts.join(', then ');
}

/**
 * Does this status of the ingress mean that the delivery is stored? `200` is for providers that take no other status for a
 * success.
 */
export function isStoredStatus(status: number): boolean {
  return status === 202 || status === 200;
}

/**
 * The name of the internal webhook of a factory: its ticks are entries of the delivery log, and each entry belongs to a webhook. No file
 * can have this name, no request reaches it, and it is stored as deleted, so that no list shows it.
 */
export const TICK_SOURCE_NAME = '(schedule)';

/** Is a delivery of this webhook a tick of a schedule, which no sender posted? */
export function isTickSource(webhookName: string): boolean {
  return webhookName === TICK_SOURCE_NAME;
}

/** The numbers of a replay or of its dry run, as answers show them. */
interface ReplayCounts {
  replayed: number;
  matched: number;
  runs: number;
}

/** What a dry run found: 3 deliveries would be replayed, and start 4 runs. */
export function describePreview({ replayed, runs }: ReplayCounts): string {
  if (replayed === 0) return 'No delivery would be replayed.';
  return `${countOf(replayed, 'delivery', 'deliveries')} would be replayed, and start ${countOf(runs, 'run')}.`;
}

/** What a replay has done until now. */
export function describeReplayed({ replayed, runs }: ReplayCounts): string {
  return `${countOf(replayed, 'delivery', 'deliveries')} replayed, ${countOf(runs, 'run')} started`;
}

/** What a dry run that stopped early says about the rest; `null` if it examined everything. */
export function describeUnexamined(preview: { examined: number; total: number; complete: boolean }): string | null {
  if (preview.complete) return null;
  return `The dry run examined the oldest ${preview.examined} of ${preview.total} deliveries. The replay examines all.`;
}

/** Why a replay skips a delivery that its filters select. A published code is never used for something else. */
export const REPLAY_SKIPS = {
  payload_removed: 'Retention removed the delivery before it was replayed.',
  webhook_unavailable: 'The webhook is disabled or deleted.',
  definition_unknown:
    'Retention removed a run that the delivery started, so the definition of that time is no longer known.',
  is_replay: 'The delivery is a replay of another one.',
  unreadable: 'The stored payload cannot be evaluated.',
  not_stored: 'The replay could not be stored.',
} as const;

export type ReplaySkip = keyof typeof REPLAY_SKIPS;

/** An unknown code, written by another version, stands for itself. */
export function describeReplaySkip(reason: string): string {
  const words: Readonly<Record<string, string>> = REPLAY_SKIPS;
  return (Object.hasOwn(words, reason) ? words[reason] : undefined) ?? reason;
}
