import type { RandomBytes } from '../../../domain/ids.ts';

/** The purpose of a generated secret. */
type GeneratedSecretKind = 'token' | 'url_token' | 'standard_webhooks';

const SECRET_BYTES = 32;

/**
 * Generates a secret of 256 random bits: `dbs_` and URL-safe base64 for tokens; `whsec_` and base64 for Standard
 * Webhooks, as senders expect it.
 */
export function generateSecret(kind: GeneratedSecretKind, randomBytes: RandomBytes): string {
  const bytes = Buffer.from(randomBytes(SECRET_BYTES));
  return kind === 'standard_webhooks' ? `whsec_${bytes.toString('base64')}` : `dbs_${bytes.toString('base64url')}`;
}
