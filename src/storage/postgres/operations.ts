import { AsyncLocalStorage } from 'node:async_hooks';
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
import type { Pool, PoolClient } from 'pg';
import { type Backoff, backoffMs } from '../../domain/time/backoff.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import type { Schema } from '../sql/schema/schema.ts';
import { isRetryable } from './storage-error.ts';
import { escapeNul } from './text-without-nul.ts';
import { type Access, commitOnce, inTransaction, type Turn, withConnection } from './transactions.ts';

/**
 * A conflict with another operation is rare and short. Conflicts last longer if another application on the server keeps a
 * serializable transaction open: PostgreSQL then remembers only roughly what committed operations read.
 */
const MAX_ATTEMPTS = 20;

/** These follow the one before without a pause. */
const PROMPT_ATTEMPTS = 4;

/** Pauses after them. All attempts together take about 10 s. */
const PAUSES: Backoff = { firstMs: 5, maxMs: 1000, jitter: 0.5 };

/** The operations of a storage on PostgreSQL, and the query builder that they use. */
export interface Operations {
  /** May be used only inside `run`. */
  query: Kysely<Schema>;
  /**
   * Runs a whole operation as one serializable transaction: its result is that of operations one after another, as in SQLite.
   * PostgreSQL ends an operation that would break this, and it runs again. If the answer to its COMMIT is lost, see `commitOnce`.
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
      const act = (client: PoolClient) => current.run(client, () => operation(client));
      const attempt = () =>
        access === 'READ WRITE'
          ? commitOnce(pool, 'SERIALIZABLE READ WRITE', act, turn)
          : withConnection(pool, (client) => inTransaction(client, 'SERIALIZABLE READ ONLY', () => act(client)));
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
