import type Database from 'better-sqlite3';
import { type DatabaseConnection, Kysely, SqliteDialect, SqliteDriver } from 'kysely';
import type { Schema } from '../sql/schema/schema.ts';

/** The query builder on the connection that also writes the deliveries. */
export function createQueryBuilder(database: Database.Database): Kysely<Schema> {
  const dialect = new SqliteDialect({ database });
  dialect.createDriver = () => new AutoRollbackDriver(database);
  return new Kysely<Schema>({ dialect });
}

/**
 * SQLite rolls a transaction back automatically if the disk is full or fails. A second rollback would throw an error
 * that hides the original one.
 */
class AutoRollbackDriver extends SqliteDriver {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    super({ database });
    this.#database = database;
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection);
  }
}
