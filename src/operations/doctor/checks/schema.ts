import { existsSync } from 'node:fs';
import { messageOf } from '../../../domain/errors.ts';
import { requireDatabase } from '../../../platform/data-dir/require-database.ts';
import { readDatabaseFacts, SCHEMA_VERSION } from '../../../storage/sqlite/disk/inspect-copy.ts';
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
