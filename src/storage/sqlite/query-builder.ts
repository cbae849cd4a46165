import { AsyncLocalStorage } from 'node:async_hooks';
import type Database from 'better-sqlite3';
import { type DatabaseConnection, Kysely, SqliteAdapter, SqliteDialect, SqliteDriver } from 'kysely';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import type { Schema } from '../sql/schema/schema.ts';

export interface SqliteQueries {
  query: Kysely<Schema>;
  /** Runs `act` as one transaction. Transactions of the query builder in it are parts of it. */
  inTransaction<Result>(act: () => Promise<Result>): Promise<Result>;
}

/** The query builder on the connection that also writes the deliveries. */
export function createQueryBuilder(database: Database.Database): SqliteQueries {
  const dialect = new SqliteDialect({ database });
  const driver = new OperationDriver(database);
  dialect.createDriver = () => driver;
  dialect.createAdapter = () => new OperationAdapter();
  const query = new Kysely<Schema>({ dialect });
  return {
    query,
    inTransaction: (act) =>
      query.getExecutor().provideConnection((connection) => driver.inTransaction(connection, act)),
  };
}

/** The driver lends the connection to one operation after another. The lock of the query builder would also stop the parts of one. */
class OperationAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/**
 * SQLite rolls a transaction back automatically if the disk is full or fails. A second rollback would throw an error
 * that hides the original one.
 */
class OperationDriver extends SqliteDriver {
  readonly #database: Database.Database;
  /** The connection of the transaction around the current operation. */
  readonly #current = new AsyncLocalStorage<DatabaseConnection>();
  readonly #turns = new TaskQueue();
  #endTurn = () => {};

  constructor(database: Database.Database) {
    super({ database });
    this.#database = database;
  }

  async inTransaction<Result>(connection: DatabaseConnection, act: () => Promise<Result>): Promise<Result> {
    await this.beginTransaction(connection);
    try {
      const result = await this.#current.run(connection, act);
      await this.commitTransaction(connection);
      return result;
    } catch (error) {
      await this.rollbackTransaction(connection);
      throw error;
    }
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const current = this.#current.getStore();
    if (current !== undefined) return current;
    await new Promise<void>((begin) => {
      const lend = () =>
        new Promise<void>((end) => {
          this.#endTurn = end;
          begin();
        });
      void this.#turns.run(lend);
    });
    return super.acquireConnection();
  }

  override async releaseConnection(): Promise<void> {
    if (!this.#isPart()) this.#endTurn();
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    if (!this.#isPart()) await super.beginTransaction(connection);
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    if (!this.#isPart()) await super.commitTransaction(connection);
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (!this.#isPart() && this.#database.inTransaction) await super.rollbackTransaction(connection);
  }

  #isPart(): boolean {
    return this.#current.getStore() !== undefined;
  }
}
