import type { ClientBase } from 'pg';
import { AppError } from '../../../domain/errors.ts';

/** A session of the leader holds it, or a command that works while no daemon runs. */
export const LEADER_LOCK = 0x0d0cbe10;

/** A leader without a sign of life for this time has lost the lead. */
const LEADER_TIMEOUT_MS = 15_000;

/** The time in which one daemon leads. */
export interface LeaderTerm {
  /** Rises with each new leader. */
  epoch: number;
}

/** The name by which PostgreSQL lists the session of a daemon. */
export function nameSession(id: string): string {
  return `dockbell ${id}`;
}

/** The name of the session of a command that works while no daemon runs. */
export const COMMAND_SESSION = 'dockbell lock';

/** Throws `storage_unavailable` while such a command works: it may replace the master key, or has copied half of the data. */
export async function rejectCommand(client: ClientBase): Promise<void> {
  const { rows } = await client.query(`SELECT 1 ${LEADER_SESSION} AND application_name = $1`, [COMMAND_SESSION]);
  if (rows.length === 0) return;
  throw new AppError('storage_unavailable', 'a command for stopped daemons works on this database: wait for its end');
}

/** Does a session of a daemon exist? Between two leaders, nobody holds the lock. */
export async function hasDaemon(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name ~ '^dockbell [0-9a-f-]{36}$'",
  );
  return rows.length > 0;
}

/** A daemon as its signs of life name it. */
export interface BeatingReplica {
  /** ID of this start. */
  id: string;
  /** ID of its data directory, which executes runs. */
  machine: string;
  /** How long others leave the runs of its machine alone after a sign of life. */
  runLeaseMs: number;
}

const BEAT = `
  INSERT INTO replicas AS known (id, machine, description, seen_at, lease_until)
  VALUES ($1, $2, '{}', clock_timestamp(), clock_timestamp() + $3 * interval '1 millisecond')
  ON CONFLICT (id) DO UPDATE
    SET machine = excluded.machine, seen_at = excluded.seen_at, lease_until = excluded.lease_until
  RETURNING (SELECT lease_until < clock_timestamp() FROM replicas WHERE id = $1) IS TRUE AS was_lost`;

/**
 * A sign of life, by the clock of the database. It renews the lease of the runs that the machine executes.
 *
 * @returns whether the lease had ended before, so that others may have taken its runs
 */
export async function beat(client: ClientBase, { id, machine, runLeaseMs }: BeatingReplica): Promise<boolean> {
  const { rows } = await client.query({ name: 'beat', text: BEAT, values: [id, machine, runLeaseMs] });
  return (rows[0] as { was_lost: number }).was_lost === 1;
}

/** Begins a term if no session holds the lock of the leader; `null` otherwise. */
export async function beginTerm(client: ClientBase, id: string): Promise<LeaderTerm | null> {
  if (!(await takeLock(client))) return null;
  const { rows } = await client.query('UPDATE leadership SET epoch = epoch + 1, replica = $1 RETURNING epoch', [id]);
  return { epoch: (rows[0] as { epoch: number }).epoch };
}

/**
 * Continues the term of a leader that lost its session. `deposed`: another daemon led meanwhile. `held`: PostgreSQL still
 * keeps the earlier session, or another daemon is about to begin its term.
 */
export async function continueTerm(
  client: ClientBase,
  id: string,
  { epoch }: LeaderTerm,
): Promise<'continued' | 'held' | 'deposed'> {
  await endEarlierSession(client, id);
  const isHeld = !(await takeLock(client));
  const { rows } = await client.query('SELECT epoch FROM leadership');
  if ((rows[0] as { epoch: number }).epoch !== epoch) return 'deposed';
  return isHeld ? 'held' : 'continued';
}

async function takeLock(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS taken', [LEADER_LOCK]);
  return (rows[0] as { taken: boolean }).taken;
}

/** The session of the leader, from its lock. */
const LEADER_SESSION = `
  FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = ${LEADER_LOCK} AND objsubid = 1
    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * Ends the session of a leader that gave no sign of life in time: it is frozen, or its machine is lost, and PostgreSQL still
 * keeps its connection.
 */
export async function endStaleLeader(client: ClientBase, id: string): Promise<void> {
  await client.query(
    `SELECT pg_terminate_backend(pid) ${LEADER_SESSION}
      AND application_name NOT IN ($1, $3) AND NOT EXISTS (
        SELECT FROM replicas WHERE application_name = 'dockbell ' || id
          AND seen_at > clock_timestamp() - $2 * interval '1 millisecond')`,
    [nameSession(id), LEADER_TIMEOUT_MS, COMMAND_SESSION],
  );
}

async function endEarlierSession(client: ClientBase, id: string): Promise<void> {
  await client.query(
    `SELECT pg_terminate_backend(pid) ${LEADER_SESSION} AND application_name = $1 AND pid <> pg_backend_pid()`,
    [nameSession(id)],
  );
}
