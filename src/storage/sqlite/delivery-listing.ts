import type Database from 'better-sqlite3';
import { HOUR_MS } from '../../domain/ports/delivery-log.ts';
import { DELIVERIES } from '../sql/schema/tables.ts';
import { prepareNamed } from './statement.ts';
import { type DeliveryGroup, prepareTraffic, type Range } from './webhook-traffic.ts';

/** Number of deliveries that wait for their entries. More of them save little, and make one batch in many slower. */
const DUE_DELIVERIES = 1024;
/** Maximum number of deliveries in one step. */
const MAX_DELIVERIES = 4096;

/**
 * What lists and charts read: the numbers of the deliveries of each webhook and label, the hourly counts, and the traffic of
 * each webhook. They are scattered over many pages of the file. Writing them with each batch took more than the log itself,
 * so they are written for many deliveries together. `delivery_listing_end` is the number of the last delivery that they
 * contain, and it changes in the same transaction.
 */
export interface DeliveryListing {
  /** Adds the deliveries that wait, if there are many. The caller is in the transaction of a batch. */
  extendIfDue(): void;
  /** Adds all deliveries that wait, so that a reader finds them. */
  catchUp(): void;
  /** Performs a read that finds the deliveries that wait, if nothing can be written. Only for reads. */
  readWithWaiting<Result>(read: () => Promise<Result>): Promise<Result>;
}

export function createDeliveryListing(db: Database.Database): DeliveryListing {
  const { findRange, list, findGroups, addCount, setEnd } = prepareStatements(db);
  const noteTraffic = prepareTraffic(db);
  const describeTraffic = db.prepare<[], string>(DESCRIBE_TRAFFIC).pluck();
  /** Returns `false` if fewer than `atLeast` deliveries wait. */
  const extend = (atLeast: number): boolean => {
    const { after, newest } = findRange.get({})!;
    if (newest - after < atLeast) return false;
    const range = { after, last: Math.min(newest, after + MAX_DELIVERIES) };
    list.run(range);
    const groups = findGroups.all(range);
    for (const group of groups) addCount.run(group);
    noteTraffic(range, groups);
    setEnd.run(range);
    return true;
  };
  const extendAlone = db.transaction(() => extend(1)).immediate;
  return {
    extendIfDue: () => void extend(DUE_DELIVERIES),
    catchUp: () => {
      const { after, newest } = findRange.get({})!;
      if (after === newest) return;
      while (extendAlone());
    },
    readWithWaiting: async (read) => {
      try {
        db.exec(SHOW_WAITING);
        db.exec(`${describeTraffic.get()!}; ${COPY_TRAFFIC}`);
        const { after, newest: last } = findRange.get({})!;
        noteTraffic({ after, last }, findGroups.all({ after, last }));
        return await read();
      } finally {
        db.exec(HIDE_WAITING);
      }
    },
  };
}

const NO_LABEL = DELIVERIES.encode('label', null);

/** A replay did not arrive. An entry without a label stands for requests that have counts of their kind. */
const COUNTED = `replay_of IS NULL AND label <> ${NO_LABEL}`;

const WAITING = 'main.deliveries WHERE seq > (SELECT seq FROM main.delivery_listing_end)';

/** Temporary views and tables, which are in memory, hide the tables with their names. */
const SHOW_WAITING = `
  CREATE TEMP VIEW delivery_listing AS
    SELECT webhook, label, seq FROM main.delivery_listing UNION ALL SELECT webhook, label, seq FROM ${WAITING};
  CREATE TEMP VIEW delivery_counts AS SELECT webhook, hour, label, sum(count) AS count FROM (
    SELECT webhook, hour, label, count FROM main.delivery_counts
    UNION ALL SELECT webhook, received_at / ${HOUR_MS}, label, count FROM ${WAITING} AND ${COUNTED}
  ) GROUP BY 1, 2, 3`;
const DESCRIBE_TRAFFIC =
  "SELECT replace(sql, 'CREATE TABLE', 'CREATE TEMP TABLE') FROM main.sqlite_schema WHERE name = 'webhook_traffic'";
const COPY_TRAFFIC = 'INSERT INTO temp.webhook_traffic SELECT * FROM main.webhook_traffic';
const HIDE_WAITING = `
  DROP VIEW IF EXISTS temp.delivery_listing;
  DROP VIEW IF EXISTS temp.delivery_counts;
  DROP TABLE IF EXISTS temp.webhook_traffic`;

function prepareStatements(db: Database.Database) {
  return {
    findRange: prepareNamed<object, { after: number; newest: number }>(
      db,
      'SELECT seq AS after, (SELECT coalesce(max(seq), 0) FROM deliveries) AS newest FROM delivery_listing_end',
    ),
    list: prepareNamed<Range>(
      db,
      'INSERT INTO delivery_listing (webhook, label, seq) ' +
        'SELECT webhook, label, seq FROM deliveries WHERE seq > @after AND seq <= @last',
    ),
    // With a single max(), SQLite takes the other columns from the row that has it.
    findGroups: prepareNamed<Range, DeliveryGroup>(
      db,
      `SELECT webhook, received_at / ${HOUR_MS} AS hour, label, sum(count) AS count, max(seq) AS newest, ` +
        'received_at AS newestAt FROM deliveries ' +
        `WHERE seq > @after AND seq <= @last AND ${COUNTED} GROUP BY 1, 2, 3`,
    ),
    addCount: prepareNamed<DeliveryGroup>(
      db,
      'INSERT INTO delivery_counts (webhook, hour, label, count) VALUES (@webhook, @hour, @label, @count) ' +
        'ON CONFLICT DO UPDATE SET count = count + excluded.count',
    ),
    setEnd: prepareNamed<Range>(db, 'UPDATE delivery_listing_end SET seq = @last WHERE seq = @after'),
  };
}
