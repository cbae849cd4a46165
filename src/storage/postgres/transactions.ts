import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { QueryResult as PgResult, Pool, PoolClient, QueryConfig } from 'pg';
import { AppError } from '../../domain/errors.ts';
import { type Backoff, backoffMs } from '../../domain/time/backoff.ts';
import { isLostConnection, toStorageError } from './storage-error.ts';

/** A lock of the session. It is taken before the transaction, which therefore sees what the others did before it. */
export interface Turn {
  /** Waits for the lock. Its row has the `key` of the lock; no row if it takes none. */
  take: QueryConfig;
  leave(key: unknown): QueryConfig;
}

/** No operation takes that long. */
const OPERATION_MS = 60_000;

/** For what may take hours: migrations and copies. */
export const ANY_TIME_MS = 2 ** 31 - 1;

/**
 * Lends a connection of the pool. One whose state is unknown is closed.
 *
 * @param limitMs after this time, the connection is cut: the network or the machine of PostgreSQL may have failed
 */
export async function withConnection<Result>(
  pool: Pool,
  use: (client: PoolClient) => Promise<Result>,
  limitMs: number = OPERATION_MS,
): Promise<Result> {
  const client = await pool.connect();
  const timer = setTimeout(() => cut(client), limitMs);
  let problem: Error | boolean = false;
  // A connection that ends between two queries reports it as an event. The next query reports it again.
  const note = (error: Error) => {
    problem = error;
  };
  client.on('error', note);
  try {
    return await use(client);
  } catch (error) {
    if (isLostConnection(error)) problem = true;
    throw error;
  } finally {
    clearTimeout(timer);
    client.off('error', note);
    client.release(problem);
  }
}

/** Open queries fail as after a lost connection. The types do not name the socket, and `end` waits for these queries. */
function cut(client: PoolClient): void {
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
}

/** What an operation may do. */
export type Access = 'READ ONLY' | 'READ WRITE';

type TransactionMode = `SERIALIZABLE ${Access}` | 'READ COMMITTED';

/** What a transaction does in addition to its statements. */
interface Ending {
  /** Held from before the transaction until its end. */
  turn?: Turn | null;
  /** Sent together with the COMMIT. */
  mark?: QueryConfig;
}

/** Commits what `act` did, or rolls it back. */
export async function inTransaction<Result>(
  client: PoolClient,
  mode: TransactionMode,
  act: () => Promise<Result>,
  { turn = null, mark }: Ending = {},
): Promise<Result> {
  let leave: QueryConfig[] = [];
  try {
    const begin = `BEGIN ISOLATION LEVEL ${mode}`;
    const [taken] = await send(client, turn === null ? [begin] : [turn.take, begin]);
    leave = turn === null ? [] : taken!.rows.map(({ key }) => turn.leave(key));
    const result = await act();
    // Sent together: a daemon that is frozen after the commit must not keep its turn.
    await send(client, mark === undefined ? ['COMMIT', ...leave] : [mark, 'COMMIT', ...leave]);
    return result;
  } catch (error) {
    // On a lost connection, the server rolls back. The first error counts.
    await send(client, ['ROLLBACK', ...leave]).catch(() => undefined);
    throw error;
  }
}

/** Sends statements in one round trip. */
function send(client: PoolClient, statements: readonly (string | QueryConfig)[]): Promise<PgResult[]> {
  return Promise.all(statements.map((statement) => client.query(statement)));
}

/** How long the outcome of a COMMIT without an answer is asked for. PostgreSQL may restart meanwhile, or another server take over. */
const RESOLVE_MS = 30_000;

/** A question that takes longer has lost its connection. */
const QUESTION_MS = 4000;

/** Between two questions. */
const QUESTION_PAUSES: Backoff = { firstMs: 20, maxMs: 500 };

/** Of a transaction that wrote nothing, nobody needs to know the outcome. */
const MARK = `
  INSERT INTO transaction_marks (id, committed)
  SELECT $1::uuid, true WHERE pg_current_xact_id_if_assigned() IS NOT NULL`;

/** Waits for the transaction with this mark if it has not ended. If it was not committed, it no longer can be: the mark is taken. */
const RESOLVE = `
  INSERT INTO transaction_marks (id, committed) VALUES ($1, false)
  ON CONFLICT (id) DO UPDATE SET id = excluded.id RETURNING committed`;

/** Longer than any question is asked. */
const FORGET_MARKS = "DELETE FROM transaction_marks WHERE at < now() - interval '10 minutes'";

/** An operation whose COMMIT was lost this often before it arrived fails. */
const MAX_LOST = 3;

/**
 * Runs `act` as one transaction that writes. A connection that is lost during the COMMIT leaves its outcome unknown. A mark that the
 * transaction inserted then shows it: the caller gets the result of what was committed. If nothing was, `act` runs again.
 *
 * @throws `storage_unavailable` if the outcome cannot be found out
 */
export async function commitOnce<Result>(
  pool: Pool,
  mode: TransactionMode,
  act: (client: PoolClient) => Promise<Result>,
  turn: Turn | null = null,
): Promise<Result> {
  for (let lost = 1; ; lost += 1) {
    const id = randomUUID();
    const mark = { name: 'mark_transaction', text: MARK, values: [id] };
    const acted: Result[] = [];
    try {
      return await withConnection(pool, (client) =>
        inTransaction(client, mode, async () => (acted[0] = await act(client)), { turn, mark }),
      );
    } catch (error) {
      if (acted.length === 0 || !isLostConnection(error)) throw error;
      if (await wasCommitted(pool, id, error)) return acted[0]!;
      if (lost === MAX_LOST) throw error;
    }
  }
}

/** @param lost the error of the COMMIT */
async function wasCommitted(pool: Pool, id: string, lost: unknown): Promise<boolean> {
  const until = performance.now() + RESOLVE_MS;
  for (let questions = 1; performance.now() < until; questions += 1) {
    try {
      const { rows } = await withConnection(
        pool,
        (client) => client.query<{ committed: number }>(RESOLVE, [id]),
        QUESTION_MS,
      );
      return rows[0]!.committed === 1;
    } catch (error) {
      const translated = toStorageError(error);
      if (!(translated instanceof AppError && translated.code === 'storage_unavailable')) throw error;
    }
    await pause(backoffMs(QUESTION_PAUSES, questions));
  }
  throw new AppError(
    'storage_unavailable',
    'PostgreSQL did not answer the commit, so it is unknown whether the change was made. Look at its result before you repeat it.',
    { cause: lost },
  );
}

/** Removes the marks that no question needs. */
export async function forgetMarks(pool: Pool): Promise<void> {
  await pool.query(FORGET_MARKS);
}
