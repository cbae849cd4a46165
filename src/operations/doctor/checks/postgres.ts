import { messageOf } from '../../../domain/errors.ts';
import { inspectPostgres, type PostgresFacts } from '../../../storage/postgres/inspect-database.ts';
import { MIN_VERSION } from '../../../storage/postgres/open-database.ts';
import { SCHEMA_VERSION } from '../../../storage/postgres/schema-version.ts';
import type { Check, Symptom } from '../patient.ts';

/** Can PostgreSQL be reached, and does it keep the promise of a `202`? */
export const postgresCheck: Check = {
  name: 'postgresql',
  storage: 'postgres',
  run: async ({ config }) => {
    const { url, pool } = config.storage;
    try {
      const facts = await inspectPostgres(url!);
      return [
        ...examineServer(facts),
        ...examineDurability(facts),
        ...examineConnections(facts, pool),
        ...examineSchema(facts),
      ];
    } catch (error) {
      const hint = 'Check that PostgreSQL runs, and check host, port, user, password and database of storage.url.';
      return [{ severity: 'error', message: messageOf(error), hint }];
    }
  },
};

function examineServer({ version, versionNumber, encoding }: PostgresFacts): Symptom[] {
  const found: Symptom[] = [];
  if (versionNumber < MIN_VERSION) {
    const hint = 'Upgrade PostgreSQL to version 14 or newer.';
    found.push({ severity: 'error', message: `PostgreSQL ${version} is too old`, hint });
  }
  if (encoding !== 'UTF8') {
    const hint = "Create a database with ENCODING 'UTF8' TEMPLATE template0.";
    found.push({ severity: 'error', message: `the database has the encoding ${encoding}`, hint });
  }
  return found;
}

/** The settings of a session of Dockbell, which can differ by user and database. */
function examineDurability({ synchronousCommit, fsync, fullPageWrites }: PostgresFacts): Symptom[] {
  const settings = { synchronous_commit: synchronousCommit, fsync, full_page_writes: fullPageWrites };
  return Object.entries(settings)
    .filter(([, value]) => value === 'off')
    .map(([name]) => ({
      severity: 'error',
      message: `${name} is off, so PostgreSQL can lose deliveries that were confirmed`,
      hint: `Set ${name} to on for the server${name === 'synchronous_commit' ? ', the database and the user of Dockbell' : ''}.`,
    }));
}

function examineConnections({ maxConnections }: PostgresFacts, pool: number): Symptom[] {
  if (pool + 1 <= maxConnections) return [];
  const message = `storage.pool is ${pool}, and PostgreSQL allows ${maxConnections} connections (max_connections)`;
  return [
    {
      severity: 'error',
      message,
      hint: 'Reduce storage.pool, or increase max_connections. One connection holds a lock.',
    },
  ];
}

function examineSchema({ schema, isUnfinishedCopy }: PostgresFacts): Symptom[] {
  if (isUnfinishedCopy) {
    const message = 'the database has a copy that is not finished and verified, so the daemon does not start';
    return [{ severity: 'error', message, hint: "Finish it with 'dockbell storage copy'." }];
  }
  if (schema === null || schema.oldest <= SCHEMA_VERSION) return [];
  const message = `the database needs schema version ${schema.oldest} or newer, and this Dockbell has version ${SCHEMA_VERSION}`;
  return [{ severity: 'error', message, hint: `Install Dockbell ${schema.writtenBy} or newer.` }];
}
