import type { Pool } from 'pg';
import type { RunId } from '../../../domain/ids.ts';
import type { Replica, ReplicaDescription, ReplicaTable } from '../../../domain/ports/replicas.ts';
import type { Operations } from '../operations.ts';
import { announce } from './channel.ts';
import { createLiveChangeReader } from './read-live-changes.ts';

/** Replicas without a sign of life for this time are forgotten. */
const FORGET_AFTER = "interval '1 hour'";

const LIST = `
  SELECT id, description, id = (SELECT replica FROM leadership) AS leads,
    extract(epoch FROM clock_timestamp() - seen_at) * 1000 AS seen_ms_ago
  FROM replicas WHERE seen_at > clock_timestamp() - ${FORGET_AFTER} AND description <> '{}'`;

const LIVE_MACHINES = 'SELECT DISTINCT machine FROM replicas WHERE lease_until > clock_timestamp()';

const ORDER_CANCEL = `
  INSERT INTO cancel_orders (run, attempt, ordered_at) VALUES ($1, $2, clock_timestamp())
  ON CONFLICT (run) DO UPDATE SET attempt = excluded.attempt, ordered_at = excluded.ordered_at`;

const CANCEL_ORDERS = `
  SELECT run FROM cancel_orders
  JOIN unnest($1::text[], $2::integer[]) AS held (id, number) ON run = id AND attempt = number`;

interface Row {
  id: string;
  description: string;
  leads: number | null;
  seen_ms_ago: number;
}

/** @param id of this daemon */
export function createReplicaTable(pool: Pool, operations: Operations, id: string): ReplicaTable {
  return {
    changesSince: createLiveChangeReader(operations),
    list: async () => {
      const { rows } = await pool.query<Row>(LIST);
      return rows.map(toReplica).sort((a, b) => a.startedAt - b.startedAt);
    },
    describe: async (self) => {
      await pool.query(
        `INSERT INTO replicas (id, description, seen_at) VALUES ($1, $2, clock_timestamp())
          ON CONFLICT (id) DO UPDATE SET description = excluded.description`,
        [id, JSON.stringify(self)],
      );
      await pool.query(`DELETE FROM replicas WHERE seen_at < clock_timestamp() - ${FORGET_AFTER}`);
      await pool.query(`DELETE FROM cancel_orders WHERE ordered_at < clock_timestamp() - ${FORGET_AFTER}`);
    },
    liveVersions: async () => {
      const { rows } = await pool.query<{ factory: string; version: number }>('SELECT * FROM live_versions');
      return Object.fromEntries(rows.map(({ factory, version }) => [factory, version]));
    },
    announce: (message) => announce(pool, id, message),
    liveMachines: async () => {
      const { rows } = await pool.query<{ machine: string }>(LIVE_MACHINES);
      return rows.map(({ machine }) => machine);
    },
    orderCancel: async (run, attempt) => {
      await pool.query(ORDER_CANCEL, [run, attempt]);
      await announce(pool, id, { kind: 'cancel', run, attempt });
    },
    cancelOrders: async (runs) => {
      const attempts = [runs.map((run) => run.id), runs.map(({ attempt }) => attempt)];
      const { rows } = await pool.query<{ run: RunId }>(CANCEL_ORDERS, attempts);
      return rows.map(({ run }) => run);
    },
  };
}

function toReplica({ id, description, leads, seen_ms_ago }: Row): Replica {
  const described = JSON.parse(description) as ReplicaDescription;
  return { ...described, id, isLeader: leads === 1, seenMsAgo: Math.max(0, Math.round(seen_ms_ago)) };
}
