import { existsSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { messageOf } from '../../../domain/errors.ts';
import { MASTER_KEY_VARIABLE } from '../../../domain/runs/reserved-variables.ts';
import { loadMasterKey } from '../../../platform/secrets/load-master-key.ts';
import { isKeyOf } from '../../../platform/secrets/master-key-rotation.ts';
import { createVault } from '../../../platform/secrets/vault.ts';
import { readKeyProof } from '../../../storage/read-key-proof.ts';
import type { Check, Patient, Symptom } from '../patient.ts';

/** Is the master key there, is it the key of the database, and is it kept apart from the database? */
export const masterKeyCheck: Check = {
  name: 'master-key',
  run: async (patient) => [...(await examineKey(patient)), ...examinePlace(patient)],
};

async function examineKey({ config, paths, env }: Patient): Promise<Symptom[]> {
  const proof = await readKeyProof(config.storage, paths.database);
  // The first start creates the key.
  if (proof === null) return [];
  try {
    const { masterKeyFile } = config;
    const { key } = await loadMasterKey({
      masterKeyFile,
      environmentValue: env[MASTER_KEY_VARIABLE],
      createIfMissing: false,
    });
    if (isKeyOf(proof, createVault(key))) return [];
    return [describe('the master key is not the key that encrypted the secrets in the database')];
  } catch (error) {
    return [describe(messageOf(error))];
  }
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
