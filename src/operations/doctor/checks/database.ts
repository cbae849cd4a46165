import { existsSync } from 'node:fs';
import { messageOf } from '../../../domain/errors.ts';
import { formatSize } from '../../../domain/words/quantities.ts';
import { requireDatabase } from '../../../platform/data-dir/require-database.ts';
import { sizeOfFile } from '../../../storage/sqlite/disk/database-space.ts';
import { readDatabaseFacts, SCHEMA_VERSION } from '../../../storage/sqlite/disk/inspect-copy.ts';
import { WAL_BYTES } from '../../../storage/sqlite/disk/space-guard.ts';
import type { Check, Symptom } from '../patient.ts';

/** Can this version use the database? */
export const schemaCheck: Check = {
  name: 'schema',
  storage: 'sqlite',
  run: ({ config, paths }) => {
    if (!existsSync(config.dataDir)) return [];
    const missing = findMissing(() => requireDatabase(paths));
    if (missing.length > 0 || !existsSync(paths.database)) return missing;
    const { schemaVersion, writtenBy } = readDatabaseFacts(paths.database);
    if (schemaVersion <= SCHEMA_VERSION) return [];
    return [
      {
        severity: 'error',
        message: `${paths.database} has schema version ${schemaVersion}, but this Dockbell supports versions up to ${SCHEMA_VERSION}`,
        hint: `Install Dockbell ${writtenBy ?? 'of the version that wrote it'} or newer.`,
      },
    ];
  },
};

function findMissing(require: () => void): Symptom[] {
  try {
    require();
    return [];
  } catch (error) {
    return [
      {
        severity: 'error',
        message: messageOf(error),
        hint: "Restore a backup to a new directory with 'dockbell restore'.",
      },
    ];
  }
}

/** Does another process lock the database? The running daemon knows it. */
export const databaseLockCheck: Check = {
  name: 'database-lock',
  isOnline: true,
  storage: 'sqlite',
  run: ({ running }) => {
    const found = running?.conditions().filter(({ type }) => type === 'DatabaseLocked') ?? [];
    const hint = 'Find the process with "fuser -v dockbell.db" in the data directory, and end it.';
    return found.map(({ message }) => ({ severity: 'error', message, hint }));
  },
};

/** Is the write-ahead log emptied? */
export const walSizeCheck: Check = {
  name: 'wal-size',
  storage: 'sqlite',
  run: ({ paths }) => {
    const bytes = sizeOfFile(`${paths.database}-wal`);
    if (bytes <= 2 * WAL_BYTES) return [];
    return [
      {
        severity: 'warning',
        message: `the write-ahead log ${paths.database}-wal has ${formatSize(bytes)}, usually at most ${formatSize(WAL_BYTES)}`,
        hint: 'Another process reads the database for a long time, or a backup is being made. Close other tools that have it open.',
      },
    ];
  },
};
