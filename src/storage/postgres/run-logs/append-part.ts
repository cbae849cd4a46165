import type { ClientBase } from 'pg';
import type { LogTime } from '../../../domain/ports/executor.ts';
import { type LogAppend, MAX_PART_BYTES, type NewLogPart } from '../../../domain/ports/run-files.ts';

/** Times closer to the earlier one are omitted. */
const MIN_PAUSE_MS = 1000;

/** Maximum number of parts that one part replaces. The others are replaced later. */
const MAX_JOINED = 32;

/** The end of a log. */
interface Tail {
  /** Size of the log. */
  size: number;
  /** As `RunLogParts.received`. */
  received: number;
  /** The last attempt in the log; 0 if it is empty. */
  attempt: number;
  /** The last parts of this source with their weights, the last one first. */
  own: WeighedPart[];
}

/** The first key of the lock that a writer of a log holds. */
const RUN_LOG_LOCK = 0x0d0cbe15;

/** In a transaction in which each statement sees what was committed before it. The writers of a log wait for each other. */
export async function appendPart(client: ClientBase, part: NewLogPart): Promise<LogAppend> {
  await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [RUN_LOG_LOCK, part.run]);
  const seq = await findRun(client, part);
  const tail = seq === null ? null : await readTail(client, part);
  if (seq === null || tail === null || tail.attempt > part.attempt) return { outcome: 'closed' };
  if (part.position !== null && part.position <= tail.received) return { outcome: 'known' };
  if (part.after !== null && part.after !== tail.received) return { outcome: 'changed' };
  const received = part.position ?? tail.received;
  const times = part.times.map(({ offset, atMs }) => ({ offset: tail.size + offset, atMs }));
  const joined = chooseJoined(tail.own, part.bytes.length + encodeTimes(times).length);
  await insertJoined(client, { ...part, offset: tail.size, joined, times, received });
  if (tail.attempt < part.attempt && part.attempt > 1) await noteBegin(client, seq, part.attempt, tail.size);
  return { outcome: 'appended', offset: tail.size };
}

async function findRun(client: ClientBase, { run }: NewLogPart): Promise<number | null> {
  const { rows } = await client.query('SELECT seq FROM runs WHERE id = $1', [run]);
  return rows[0]?.seq ?? null;
}

async function readTail(client: ClientBase, { run, attempt, origin }: NewLogPart): Promise<Tail> {
  const { rows } = await client.query<{
    log_offset: number;
    size: number;
    attempt: number;
    is_own: number;
    is_here: number;
    weight: number;
    received: number | null;
  }>(
    `SELECT log_offset, size, attempt, attempt = $2 AND origin = $3 AS is_own, bytes IS NOT NULL AS is_here,
        size + octet_length(times) AS weight,
        (SELECT max(received) FROM run_log_parts WHERE run = $1 AND attempt = $2 AND origin = $3) AS received
      FROM run_log_parts WHERE run = $1 ORDER BY log_offset DESC LIMIT ${MAX_JOINED}`,
    [run, attempt, origin],
  );
  const [last] = rows;
  if (last === undefined) return { size: 0, received: 0, attempt: 0, own: [] };
  const end = rows.findIndex(({ is_own, is_here }) => is_own === 0 || is_here === 0);
  const own = (end === -1 ? rows : rows.slice(0, end)).map(({ log_offset, weight }) => ({
    offset: log_offset,
    weight,
  }));
  return { size: last.log_offset + last.size, received: last.received ?? 0, attempt: last.attempt, own };
}

interface Insertion extends NewLogPart {
  /** Position of the bytes in the log. */
  offset: number;
  /** Offsets of the parts to replace. */
  joined: readonly number[];
  /** With offsets in the log. */
  times: readonly LogTime[];
  received: number;
}

async function insertJoined(client: ClientBase, part: Insertion): Promise<void> {
  const { run, attempt, origin, received } = part;
  const earlier = await takeParts(client, part);
  const bytes = Buffer.concat([...earlier.map((row) => row.bytes), part.bytes]);
  const times = joinTimes([...earlier.map((row) => decodeTimes(row.times)), part.times]);
  const start = earlier[0]?.log_offset ?? part.offset;
  for (let at = 0; at < bytes.length; at += MAX_PART_BYTES) {
    const piece = bytes.subarray(at, at + MAX_PART_BYTES);
    const from = start + at;
    await client.query(
      `INSERT INTO run_log_parts (run, log_offset, size, attempt, origin, received, times, bytes)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [run, from, piece.length, attempt, origin, received, encodeTimes(cutTimes(times, from, piece.length)), piece],
    );
  }
}

/** The times of a range of the log, beginning with that of its first byte. */
function cutTimes(times: readonly LogTime[], from: number, size: number): LogTime[] {
  const first = times.findLast(({ offset }) => offset <= from);
  const later = times.filter(({ offset }) => offset > from && offset < from + size);
  return first === undefined ? later : [{ ...first, offset: from }, ...later];
}

interface TakenPart {
  log_offset: number;
  bytes: Buffer;
  times: string;
}

/** Removes the parts that become a part of another one, and returns them in order. */
async function takeParts(client: ClientBase, { run, joined }: Insertion): Promise<TakenPart[]> {
  if (joined.length === 0) return [];
  const { rows } = await client.query<TakenPart>(
    'DELETE FROM run_log_parts WHERE run = $1 AND log_offset = ANY($2::bigint[]) RETURNING log_offset, bytes, times',
    [run, joined],
  );
  return rows.sort((a, b) => a.log_offset - b.log_offset);
}

function joinTimes(lists: readonly (readonly LogTime[])[]): LogTime[] {
  const joined: LogTime[] = [];
  for (const time of lists.flat()) {
    const last = joined.at(-1);
    // A clock that was set back also ends the pause.
    if (last === undefined || Math.abs(time.atMs - last.atMs) >= MIN_PAUSE_MS) joined.push(time);
  }
  return joined;
}

/** The stored form of times: `[[offset, atMs], …]`. */
function encodeTimes(times: readonly LogTime[]): string {
  return JSON.stringify(times.map(({ offset, atMs }) => [offset, atMs]));
}

export function decodeTimes(text: string): LogTime[] {
  return (JSON.parse(text) as [number, number][]).map(([offset, atMs]) => ({ offset, atMs }));
}

/** Where the output of a later attempt begins. */
async function noteBegin(client: ClientBase, run: number, attempt: number, offset: number): Promise<void> {
  await client.query('UPDATE run_attempts SET log_offset = $3 WHERE run = $1 AND number = $2', [run, attempt, offset]);
}

export interface WeighedPart {
  /** Position in the log. */
  offset: number;
  /** Its bytes, and the text of its times. */
  weight: number;
}

/**
 * The offsets of the parts that become one part with what is appended: the last ones that are not larger than what follows them.
 * So the number of parts grows with the logarithm of what a slow run writes, and each byte is written a logarithmic number of
 * times.
 *
 * @param last the last parts of a log, the last one first
 * @param weight of what is appended
 */
export function chooseJoined(last: readonly WeighedPart[], weight: number): number[] {
  const joined: number[] = [];
  let total = weight;
  for (const part of last) {
    if (part.weight > total || total + part.weight > MAX_PART_BYTES) break;
    total += part.weight;
    joined.push(part.offset);
  }
  return joined;
}
