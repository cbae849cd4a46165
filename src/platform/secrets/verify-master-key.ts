import { AppError } from '../../domain/errors.ts';
import type { SealedSecretTable } from '../../domain/ports/secret-store.ts';
import type { Vault } from './vault.ts';

/**
 * Checks that the master key of the vault sealed the values of the table, before anything uses them. The first start stores
 * the proof of the key. Throws `master_key_wrong` for another key, and then writes nothing.
 */
export async function verifyMasterKey(table: SealedSecretTable, vault: Vault): Promise<void> {
  const check = await table.keyCheck();
  if (check === null) {
    if (!(await everySecretSealedHere(table, vault))) throw rejectWrongKey();
    await table.setKeyCheck(vault.keyCheck());
  } else if (!vault.matchesKeyCheck(check)) {
    throw rejectWrongKey();
  }
}

/** If the table has sealed values without a proof, it was edited: then the key IDs of the values decide. */
async function everySecretSealedHere(table: SealedSecretTable, vault: Vault): Promise<boolean> {
  for (const { name } of await table.list()) {
    const newest = await table.newest(name);
    if (newest !== null && !vault.sealedHere(newest.sealed)) return false;
  }
  return true;
}

export function rejectWrongKey(): AppError {
  const message =
    'This master key is not the one that encrypted the team secrets in this data directory. ' +
    'Provide the correct key in DOCKBELL_MASTER_KEY or in the masterKeyFile. Nothing was changed.';
  return new AppError('master_key_wrong', message);
}
