import type { Pool } from 'pg';
import type { RunId } from '../../../domain/ids.ts';
import type { LogTime } from '../../../domain/ports/executor.ts';
import { type LogPart, MAX_PART_BYTES, type RunLogParts } from '../../../domain/ports/run-files.ts';
import { commitOnce } from '../transactions.ts';
import { appendPart, decodeTimes } from './append-part.ts';

/** The operations of `RunLogParts` in the table `run_log_parts`. Errors are those of the driver. */
export function createRunLogParts(pool: Pool): RunLogParts {
  return {
    append: (part) => commitOnce(pool, 'READ COMMITTED', (client) => appendPart(client, part)),
    received: (source) => readReceived(pool, source),
    size: (id) => readSize(pool, id),
    read: (request) => readParts(pool, request),
    times: (request) => readTimes(pool, request),
    complete: (limit) => findComplete(pool, limit),
    noteMoved: (part) => noteMoved(pool, part),
    totalBytes: () => sumBytes(pool),
    oldestEnded: (request) => findOldestEnded(pool, request),
    remove: async (id) => void (await pool.query('DELETE FROM run_log_parts WHERE run = $1', [id])),
    orphans: (limit) => findOrphans(pool, limit),
  };
}

async function readReceived(
  pool: Pool,
  { run, attempt, origin }: Parameters<RunLogParts['received']>[0],
): Promise<number> {
  const { rows } = await pool.query<{ received: number | null }>(
    'SELECT max(received) AS received FROM run_log_parts WHERE run = $1 AND attempt = $2 AND origin = $3',
    [run, attempt, origin],
  );
  return rows[0]?.received ?? 0;
}

async function readSize(pool: Pool, run: RunId): Promise<number | null> {
  const { rows } = await pool.query<{ size: number | null }>(
    'SELECT max(log_offset + size) AS size FROM run_log_parts WHERE run = $1',
    [run],
  );
  return rows[0]?.size ?? null;
}

async function readParts(
  pool: Pool,
  { run, offset, limit }: { run: RunId; offset: number; limit: number },
): Promise<LogPart[]> {
  const { rows } = await pool.query<{ log_offset: number; size: number; bytes: Buffer | null }>(
    `SELECT log_offset, size, bytes FROM run_log_parts
      WHERE run = $1 AND log_offset > $2::bigint - ${MAX_PART_BYTES} AND log_offset + size > $2 AND log_offset < $3
      ORDER BY log_offset`,
    [run, offset, offset + limit],
  );
  return rows.map(({ log_offset, size, bytes }) => ({ offset: log_offset, size, bytes }));
}

async function readTimes(
  pool: Pool,
  { run, offset, limit }: { run: RunId; offset: number; limit: number },
): Promise<LogTime[]> {
  const { rows } = await pool.query<{ times: string }>(
    `SELECT times FROM run_log_parts WHERE run = $1
      AND log_offset >= (SELECT max(log_offset) FROM run_log_parts WHERE run = $1 AND log_offset <= $2)
      ORDER BY log_offset LIMIT $3`,
    [run, offset, limit],
  );
  const times = rows.flatMap((row) => decodeTimes(row.times));
  const first = times.findLastIndex((time) => time.offset <= offset);
  return times.slice(Math.max(0, first), Math.max(0, first) + limit);
}

const UNFINISHED_RUN = "SELECT FROM runs WHERE runs.id = run_log_parts.run AND runs.state IN ('queued', 'running')";

/** A larger part is joined with nothing. */
const COMPLETE_BYTES = MAX_PART_BYTES / 2;

async function findComplete(pool: Pool, limit: number): Promise<{ run: RunId; offset: number; bytes: Uint8Array }[]> {
  const { rows } = await pool.query<{ run: RunId; log_offset: number; bytes: Buffer }>(
    `SELECT run, log_offset, bytes FROM run_log_parts
      WHERE bytes IS NOT NULL AND (size > ${COMPLETE_BYTES} OR NOT EXISTS (${UNFINISHED_RUN}))
      LIMIT $1`,
    [limit],
  );
  return rows.map(({ run, log_offset, bytes }) => ({ run, offset: log_offset, bytes }));
}

async function noteMoved(pool: Pool, { run, offset, size }: Parameters<RunLogParts['noteMoved']>[0]): Promise<void> {
  await pool.query('UPDATE run_log_parts SET bytes = NULL WHERE run = $1 AND log_offset = $2 AND size = $3', [
    run,
    offset,
    size,
  ]);
}

async function sumBytes(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: number | null }>('SELECT sum(size) AS bytes FROM run_log_parts');
  return rows[0]?.bytes ?? 0;
}

/** The IDs of runs begin with their time. */
async function findOldestEnded(
  pool: Pool,
  { minBytes, limit }: { minBytes: number; limit: number },
): Promise<{ run: RunId; attempt: number; bytes: number }[]> {
  const { rows } = await pool.query<{ run: RunId; attempt: number; bytes: number }>(
    `SELECT run, max(attempt) AS attempt, sum(size) AS bytes FROM run_log_parts
      WHERE NOT EXISTS (${UNFINISHED_RUN}) GROUP BY run HAVING sum(size) > $1 ORDER BY run LIMIT $2`,
    [minBytes, limit],
  );
  return rows;
}

async function findOrphans(pool: Pool, limit: number): Promise<RunId[]> {
  const { rows } = await pool.query<{ run: RunId }>(
    `SELECT DISTINCT run FROM run_log_parts WHERE NOT EXISTS (SELECT FROM runs WHERE runs.id = run_log_parts.run)
      LIMIT $1`,
    [limit],
  );
  return rows.map(({ run }) => run);
}
