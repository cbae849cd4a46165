import type Database from 'better-sqlite3';
import type { DeliveryLabel } from '../../domain/resources/delivery.ts';
import { DELIVERIES } from '../sql/schema/tables.ts';
import { prepareNamed } from './statement.ts';

const encodeLabels = (...labels: DeliveryLabel[]): ReadonlySet<number> =>
  new Set(labels.map((label) => DELIVERIES.encode('label', label)));

const ACCEPTED = encodeLabels('Accepted');
const REJECTED = encodeLabels('Rejected (auth)');
/** The credential was accepted. A body can be too large before its signature is checked. */
const AUTHENTICATED = encodeLabels('Accepted', 'Duplicate', 'Rejected (invalid JSON)');
/** Stands for several rejections, each with its own reason. */
const SUMMARY_REASON = 'summed_up';

/** Row numbers: `after` is not included, `last` is. */
export interface Range {
  after: number;
  last: number;
}

/** The deliveries of a range with the same webhook, hour and label. */
export interface DeliveryGroup {
  webhook: number;
  /** Wall time in whole hours since the epoch. */
  hour: number;
  /** As stored. */
  label: number;
  /** Number of requests. */
  count: number;
  /** The number of the newest row, and when its request was received. */
  newest: number;
  newestAt: number;
}

/** The newest row of a webhook with one of some labels. */
interface Newest {
  seq: number;
  at: number;
}

/**
 * Prepares the update of `webhook_traffic` for a range of deliveries that was just added to `delivery_listing`. The caller
 * changes both in one transaction, so each delivery counts exactly once, also after a loss of power.
 */
export function prepareTraffic(db: Database.Database): (range: Range, groups: readonly DeliveryGroup[]) => void {
  const statements = prepareStatements(db);
  return (range, groups) => {
    for (const webhook of new Set(groups.map((group) => group.webhook))) {
      const ofWebhook = groups.filter((group) => group.webhook === webhook);
      noteWebhook(statements, { webhook, groups: ofWebhook, ...range });
    }
  };
}

function noteWebhook(
  { noteAuthenticated, findFailures, findReason, noteFailures }: Statements,
  { webhook, groups, after, last }: Range & { webhook: number; groups: readonly DeliveryGroup[] },
): void {
  const authenticated = findNewest(groups, AUTHENTICATED);
  if (authenticated !== null) {
    const acceptedAt = findNewest(groups, ACCEPTED)?.at ?? null;
    noteAuthenticated.run({ webhook, acceptedAt, authenticatedAt: authenticated.at });
  }
  const rejected = findNewest(groups, REJECTED);
  if (rejected === null || rejected.seq < (authenticated?.seq ?? 0)) return;
  const later = { webhook, after: authenticated?.seq ?? after, last };
  const failures = findFailures.get(later)!;
  if (failures.count > 0) noteFailures.run({ webhook, reason: findReason.get(later)?.reason ?? null, ...failures });
}

function findNewest(groups: readonly DeliveryGroup[], labels: ReadonlySet<number>): Newest | null {
  let newest: Newest | null = null;
  for (const { label, newest: seq, newestAt: at } of groups) {
    if (labels.has(label) && seq > (newest?.seq ?? 0)) newest = { seq, at };
  }
  return newest;
}

type Statements = ReturnType<typeof prepareStatements>;

interface Failures {
  since: number;
  last: number;
  count: number;
}

function prepareStatements(db: Database.Database) {
  const rejections =
    'delivery_listing AS listed JOIN deliveries ON deliveries.seq = listed.seq WHERE listed.webhook = @webhook ' +
    `AND listed.label = ${DELIVERIES.encode('label', 'Rejected (auth)')} AND listed.seq > @after AND listed.seq <= @last`;
  return {
    noteAuthenticated: prepareNamed<{ webhook: number; acceptedAt: number | null; authenticatedAt: number }>(
      db,
      'INSERT INTO webhook_traffic (webhook, last_accepted_at, authenticated_at) ' +
        'VALUES (@webhook, @acceptedAt, @authenticatedAt) ON CONFLICT DO UPDATE SET ' +
        'last_accepted_at = coalesce(excluded.last_accepted_at, last_accepted_at), ' +
        'authenticated_at = excluded.authenticated_at, ' +
        'failing_since = NULL, failed_at = NULL, failures = 0, reason = NULL',
    ),
    // A summary is written up to a minute after the requests that it represents, so it may follow a later success.
    findFailures: prepareNamed<Range & { webhook: number }, Failures>(
      db,
      'SELECT min(received_at) AS since, max(received_at) AS last, coalesce(sum(count), 0) AS count ' +
        `FROM ${rejections} ` +
        'AND received_at >= coalesce((SELECT authenticated_at FROM webhook_traffic WHERE webhook = listed.webhook), 0)',
    ),
    findReason: prepareNamed<Range & { webhook: number }, { reason: string | null }>(
      db,
      `SELECT reason FROM ${rejections} AND reason <> '${SUMMARY_REASON}' ORDER BY listed.seq DESC LIMIT 1`,
    ),
    noteFailures: prepareNamed<Failures & { webhook: number; reason: string | null }>(
      db,
      'INSERT INTO webhook_traffic (webhook, failing_since, failed_at, failures, reason) ' +
        'VALUES (@webhook, @since, @last, @count, @reason) ON CONFLICT DO UPDATE SET ' +
        'failing_since = coalesce(failing_since, excluded.failing_since), failed_at = excluded.failed_at, ' +
        'failures = failures + excluded.failures, reason = coalesce(excluded.reason, reason)',
    ),
  };
}
