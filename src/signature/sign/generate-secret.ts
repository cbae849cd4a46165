import type { RandomBytes } from '../../core/ids.ts';

/** What a generated secret is for. */
export type GeneratedSecretKind = 'token' | 'url_token' | 'standard_webhooks';

const SECRET_BYTES = 32;

/**
 * A secret of 256 random bits: `dbs_` and base64url for tokens, which is URL-safe; `whsec_` and base64 for Standard
 * Webhooks, as its senders expect it.
 */
export function generateSecret(kind: GeneratedSecretKind, randomBytes: RandomBytes): string {
  const bytes = Buffer.from(randomBytes(SECRET_BYTES));
  return kind === 'standard_webhooks' ? `whsec_${bytes.toString('base64')}` : `dbs_${bytes.toString('base64url')}`;
}
