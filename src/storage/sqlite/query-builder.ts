import type Database from 'better-sqlite3';
import { type DatabaseConnection, Kysely, SqliteDialect, SqliteDriver } from 'kysely';
import type { Schema } from '../sql/schema/schema.ts';

/** Queries on the connection that writes the deliveries. */
export function createQueryBuilder(database: Database.Database): Kysely<Schema> {
  const dialect = new SqliteDialect({ database });
  dialect.createDriver = () => new Driver(database);
  return new Kysely<Schema>({ dialect });
}

/**
 * SQLite ends a transaction by itself when the disk is full or fails. Rolling back once more would be an error of its
 * own, which took the place of the one that tells what happened.
 */
class Driver extends SqliteDriver {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    super({ database });
    this.#database = database;
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection);
  }
}
