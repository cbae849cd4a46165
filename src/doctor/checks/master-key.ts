import { existsSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { messageOf } from '../../core/errors.ts';
import { MASTER_KEY_VARIABLE } from '../../core/reserved-variables.ts';
import { loadMasterKey } from '../../secrets/load-master-key.ts';
import { createVault } from '../../secrets/vault.ts';
import { inspectPostgres } from '../../storage/postgres/inspect-database.ts';
import { readDatabaseFacts } from '../../storage/sqlite/disk/inspect-copy.ts';
import type { Check, Patient, Symptom } from '../patient.ts';

/** Is the master key there, is it the key of the database, and is it kept apart from the database? */
export const masterKeyCheck: Check = {
  name: 'master-key',
  run: async (patient) => [...(await examineKey(patient)), ...examinePlace(patient)],
};

async function examineKey({ config, paths, env }: Patient): Promise<Symptom[]> {
  const keyCheck = await readKeyCheck({ config, paths });
  // The first start creates the key.
  if (keyCheck === null) return [];
  try {
    const { masterKeyFile } = config;
    const { key } = await loadMasterKey({
      masterKeyFile,
      environmentValue: env[MASTER_KEY_VARIABLE],
      createIfMissing: false,
    });
    if (createVault(key).matchesKeyCheck(keyCheck)) return [];
    return [describe('the master key is not the key that encrypted the secrets in the database')];
  } catch (error) {
    return [describe(messageOf(error))];
  }
}

async function readKeyCheck({ config, paths }: Pick<Patient, 'config' | 'paths'>): Promise<Uint8Array | null> {
  const { type, url } = config.storage;
  if (type === 'postgres') return (await inspectPostgres(url!)).keyCheck;
  return existsSync(paths.database) ? readDatabaseFacts(paths.database).keyCheck : null;
}

function describe(message: string): Symptom {
  return {
    severity: 'error',
    message,
    hint: 'Restore the right key: the daemon does not start without it, and nobody can decrypt the secrets.',
  };
}

function examinePlace({ config: { dataDir, masterKeyFile }, env }: Patient): Symptom[] {
  if (env[MASTER_KEY_VARIABLE] !== undefined || !existsSync(masterKeyFile)) return [];
  if (relative(dataDir, dirname(masterKeyFile)).startsWith('..')) return [];
  return [
    {
      severity: 'warning',
      message: `the master key ${masterKeyFile} is in the data directory, next to the database`,
      hint: 'A copy of the directory contains all secrets. Move the key to another folder and set masterKeyFile.',
    },
  ];
}
