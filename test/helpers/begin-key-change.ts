import type { ResealableSecretTable } from '../../src/domain/ports/secret-store.ts';
import { MasterKeyRotation } from '../../src/platform/secrets/master-key-rotation.ts';

/** Begins a change of the master key that waits for the operator to put the next key in place. */
export async function beginKeyChange(table: ResealableSecretTable, present: Buffer, next: Buffer): Promise<void> {
  const place = async () => ({ placed: false, earlierKeyFile: null });
  await (await MasterKeyRotation.open({ table, place }, present)).rotate(next);
}
