import type { KeyProof } from '../../domain/ports/secret-store.ts';

/** Rows of `settings`. */
export const KEY_CHECK = 'master_key_check';
export const ROTATION = 'master_key_rotation';

/** For a database of any schema version, which no storage has opened. Answers one row. */
export const READ_KEY_PROOF = `SELECT (SELECT value FROM settings WHERE key = '${KEY_CHECK}') AS "keyCheck",
  (SELECT value FROM settings WHERE key = '${ROTATION}') AS rotation`;

/** The answer to `READ_KEY_PROOF`. */
export interface KeyProofRow {
  keyCheck: Uint8Array | null;
  rotation: Uint8Array | null;
}

/** `null` if no daemon has used the database. */
export function toKeyProof({ keyCheck, rotation }: KeyProofRow): KeyProof | null {
  return keyCheck === null ? null : { keyCheck, rotation };
}
