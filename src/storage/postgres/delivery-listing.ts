import type { Pool } from 'pg';
import { HOUR_MS } from '../../domain/ports/delivery-log.ts';
import type { DeliveryLabel } from '../../domain/resources/delivery.ts';
import { DELIVERIES } from '../sql/schema/tables.ts';
import { inTransaction, withConnection } from './transactions.ts';

/** Maximum number of deliveries in one step. */
const MAX_DELIVERIES = 4096;

const encodeLabels = (...labels: DeliveryLabel[]) =>
  labels.map((label) => DELIVERIES.encode('label', label)).join(', ');

const NO_LABEL = DELIVERIES.encode('label', null);
const ACCEPTED = encodeLabels('Accepted');
const REJECTED = encodeLabels('Rejected (auth)');
/** The credential was accepted. A body can be too large before its signature is checked. */
const AUTHENTICATED = encodeLabels('Accepted', 'Duplicate', 'Rejected (invalid JSON)');

/** The requests of a range: a replay did not arrive, and an entry without a label stands for requests with their own counts. */
const REQUESTS = `deliveries WHERE seq > $1 AND seq <= $2 AND replay_of IS NULL AND label <> ${NO_LABEL}`;

const ADD_COUNTS = `
  INSERT INTO delivery_counts (webhook, hour, label, count)
  SELECT webhook, received_at / ${HOUR_MS}, label, sum(count) FROM ${REQUESTS} GROUP BY 1, 2, 3
  ON CONFLICT (webhook, hour, label) DO UPDATE SET count = delivery_counts.count + excluded.count`;

const NOTE_AUTHENTICATED = `
  INSERT INTO webhook_traffic (webhook, last_accepted_at, authenticated_at)
  SELECT webhook,
    (array_agg(received_at ORDER BY seq DESC) FILTER (WHERE label IN (${ACCEPTED})))[1],
    (array_agg(received_at ORDER BY seq DESC))[1]
  FROM ${REQUESTS} AND label IN (${AUTHENTICATED}) GROUP BY webhook
  ON CONFLICT (webhook) DO UPDATE SET
    last_accepted_at = coalesce(excluded.last_accepted_at, webhook_traffic.last_accepted_at),
    authenticated_at = excluded.authenticated_at, failing_since = NULL, failed_at = NULL, failures = 0, reason = NULL`;

// A summary is written up to a minute after the requests that it represents, so it may follow a later success.
const NOTE_FAILURES = `
  INSERT INTO webhook_traffic (webhook, failing_since, failed_at, failures, reason)
  SELECT deliveries.webhook, min(received_at), max(received_at), sum(count),
    (array_agg(deliveries.reason ORDER BY seq DESC) FILTER (WHERE deliveries.reason <> 'summed_up'))[1]
  FROM deliveries LEFT JOIN webhook_traffic AS known ON known.webhook = deliveries.webhook
  WHERE seq > $1 AND seq <= $2 AND label IN (${REJECTED}) AND received_at >= coalesce(known.authenticated_at, 0)
    AND seq > coalesce((
      SELECT max(later.seq) FROM deliveries AS later WHERE later.webhook = deliveries.webhook AND later.seq > $1
        AND later.seq <= $2 AND later.replay_of IS NULL AND later.label IN (${AUTHENTICATED})
    ), 0)
  GROUP BY deliveries.webhook
  ON CONFLICT (webhook) DO UPDATE SET
    failing_since = coalesce(webhook_traffic.failing_since, excluded.failing_since), failed_at = excluded.failed_at,
    failures = webhook_traffic.failures + excluded.failures, reason = coalesce(excluded.reason, webhook_traffic.reason)`;

/** Adds the deliveries that wait to the listing. Resolves when those are added that were stored before the call. */
type CatchUpListing = () => Promise<void>;

/** Calls that wait for another one share the next pass, so a busy daemon does not queue for the row. */
export function createListingCatchUp(pool: Pool): CatchUpListing {
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  const begin = () => {
    current = next!;
    next = null;
    return catchUp(pool);
  };
  return () => {
    next ??= current.then(begin, begin);
    return next;
  };
}

/**
 * Adds deliveries to the hourly counts and to the traffic of each webhook, in steps. They are written before
 * somebody reads them, not with each batch: all daemons would change the same rows. The row of `delivery_listing_end` lets one
 * daemon at a time do it, and has the last delivery that is contained. Under load, more deliveries arrive with each step: those
 * after the first look wait for the next pass.
 */
async function catchUp(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ end: number; newest: number }>(
    'SELECT seq AS "end", coalesce((SELECT max(seq) FROM deliveries), 0) AS newest FROM delivery_listing_end',
  );
  const { end, newest } = rows[0]!;
  for (let added = end; added < newest; ) added = await addSome(pool, newest);
}

/** Adds the next deliveries up to that one. Returns the last one that the listing contains. */
function addSome(pool: Pool, newest: number): Promise<number> {
  return withConnection(pool, (client) =>
    inTransaction(client, 'READ COMMITTED', async () => {
      const { rows } = await client.query<{ seq: number }>('SELECT seq FROM delivery_listing_end FOR UPDATE');
      const after = rows[0]!.seq;
      const last = Math.min(newest, after + MAX_DELIVERIES);
      if (last <= after) return after;
      for (const text of [ADD_COUNTS, NOTE_AUTHENTICATED, NOTE_FAILURES]) await client.query(text, [after, last]);
      await client.query('UPDATE delivery_listing_end SET seq = $1', [last]);
      return last;
    }),
  );
}
