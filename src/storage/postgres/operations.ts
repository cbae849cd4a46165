import { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryResult,
  replaceWithNoncontingentExpression,
} from 'kysely';
import type { QueryResult as PgResult, Pool, PoolClient, QueryConfig } from 'pg';
import { type Backoff, backoffMs } from '../../core/time/backoff.ts';
import { TaskQueue } from '../../core/time/task-queue.ts';
import type { Schema } from '../sql/schema/schema.ts';
import { isLostConnection, isRetryable } from './storage-error.ts';
import { escapeNul } from './text-without-nul.ts';

/**
 * A conflict with another operation is rare and short. Conflicts last longer if another application on the server keeps a
 * serializable transaction open: PostgreSQL then remembers only roughly what committed operations read.
 */
const MAX_ATTEMPTS = 20;

/** These follow the one before without a pause. */
const PROMPT_ATTEMPTS = 4;

/** Pauses after them. All attempts together take about 10 s. */
const PAUSES: Backoff = { firstMs: 5, maxMs: 1000, jitter: 0.5 };

/** A lock of the session. It is taken before the transaction, which therefore sees what the others did before it. */
export interface Turn {
  /** Waits for the lock. Its row has the `key` of the lock; no row if it takes none. */
  take: QueryConfig;
  leave(key: unknown): QueryConfig;
}

/** The operations of a storage on PostgreSQL, and the query builder that they use. */
export interface Operations {
  /** May be used only inside `run`. */
  query: Kysely<Schema>;
  /**
   * Runs a whole operation as one serializable transaction: its result is that of operations one after another, as in SQLite.
   * PostgreSQL ends an operation that would break this, and it runs again.
   *
   * @param access with `READ ONLY`, the operation cannot write
   * @param turn which it has from before the transaction until its end
   */
  run<Result>(access: Access, operation: (client: PoolClient) => Promise<Result>, turn?: Turn | null): Promise<Result>;
}

export function createOperations(pool: Pool): Operations {
  const current = new AsyncLocalStorage<PoolClient>();
  // SQLite accepts an empty list after `in`, PostgreSQL does not.
  const plugins = [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })];
  const query = new Kysely<Schema>({ dialect: createDialect(() => current.getStore()), plugins });
  // Operations that wait for their turn leave connections to deliveries.
  const turns = new TaskQueue({ concurrency: Math.max(1, Math.floor(pool.options.max / 2)) });
  return {
    query,
    run: async (access, operation, turn = null) => {
      const act = (client: PoolClient) =>
        inTransaction(client, `SERIALIZABLE ${access}`, () => current.run(client, () => operation(client)), turn);
      const attempt = () => withConnection(pool, act);
      for (let attempts = 1; ; attempts += 1) {
        try {
          return await (turn === null ? attempt() : turns.run(attempt));
        } catch (error) {
          if (attempts === MAX_ATTEMPTS || !isRetryable(error)) throw error;
        }
        const failures = attempts - PROMPT_ATTEMPTS + 1;
        if (failures > 0) await pause(backoffMs(PAUSES, failures, Math.random()));
      }
    },
  };
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

export type TransactionMode = `SERIALIZABLE ${Access}` | 'READ COMMITTED';

/**
 * Commits what `act` did, or rolls it back.
 *
 * @param turn as in `Operations.run`
 */
export async function inTransaction<Result>(
  client: PoolClient,
  mode: TransactionMode,
  act: () => Promise<Result>,
  turn: Turn | null = null,
): Promise<Result> {
  let leave: QueryConfig[] = [];
  try {
    const begin = `BEGIN ISOLATION LEVEL ${mode}`;
    const [taken] = await send(client, turn === null ? [begin] : [turn.take, begin]);
    leave = turn === null ? [] : taken!.rows.map(({ key }) => turn.leave(key));
    const result = await act();
    // Sent together: a daemon that is frozen after the commit must not keep its turn.
    await send(client, ['COMMIT', ...leave]);
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

/** Transactions of the query builder are parts of the operation, which is a transaction itself. */
function createDialect(findClient: () => PoolClient | undefined): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new OperationDriver(findClient),
    createIntrospector: () => {
      throw new Error('the storage does not examine its schema');
    },
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class OperationDriver implements Driver {
  readonly #findClient: () => PoolClient | undefined;

  constructor(findClient: () => PoolClient | undefined) {
    this.#findClient = findClient;
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const client = this.#findClient();
    if (client === undefined) throw new Error('a query outside an operation of the storage');
    return new OperationConnection(client);
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async beginTransaction(): Promise<void> {}
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
}

class OperationConnection implements DatabaseConnection {
  readonly #client: PoolClient;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, rowCount } = await this.#client.query(sql, parameters.map(escapeNul));
    return rowCount === null ? { rows } : { rows, numAffectedRows: BigInt(rowCount) };
  }

  // biome-ignore lint/correctness/useYield: the storage reads no streams
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('the storage reads no streams');
  }
}
