import { AppError } from '../core/errors.ts';
import type { SealedSecretTable } from '../core/ports/secret-store.ts';
import type { Vault } from './vault.ts';

/**
 * Makes sure that the vault's master key is the one that sealed what the table holds, before anything uses either.
 * Before the first use it leaves the proof of this key. Throws `master_key_wrong` and writes nothing otherwise.
 */
export async function verifyMasterKey(table: SealedSecretTable, vault: Vault): Promise<void> {
  const check = await table.keyCheck();
  if (check === null) {
    if (!(await everySecretSealedHere(table, vault))) throw wrongKey();
    await table.setKeyCheck(vault.keyCheck());
  } else if (!vault.matchesKeyCheck(check)) {
    throw wrongKey();
  }
}

/** Sealed values without a proof beside them are a table that was edited: their key ids have to answer instead. */
async function everySecretSealedHere(table: SealedSecretTable, vault: Vault): Promise<boolean> {
  for (const { name } of await table.list()) {
    const newest = await table.newest(name);
    if (newest !== null && !vault.sealedHere(newest.sealed)) return false;
  }
  return true;
}

function wrongKey(): AppError {
  const message =
    'This master key is not the one that sealed the team secrets in this data directory. ' +
    'Give the right one in DOCKBELL_MASTER_KEY or in the masterKeyFile. Nothing was changed.';
  return new AppError('master_key_wrong', message);
}
