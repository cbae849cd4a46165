import { findScheme } from '../schemes/schemes.ts';
import { compileTokenCheck } from '../tokens/token.ts';
import { ECHO_HANDSHAKES } from './echo-handshakes.ts';
import {
  type HandshakeKeys,
  type HandshakeRow,
  type LiveHandshake,
  SECRET_PLACEHOLDER,
  type WebhookAuth,
} from './handshake.ts';
import { SETUP_HANDSHAKES } from './setup-handshakes.ts';
import { SIGNED_HANDSHAKES } from './signed-handshakes.ts';

const byName = (a: HandshakeRow, b: HandshakeRow) => (a.name < b.name ? -1 : 1);

/** The table of handshakes, in the order of names. A new handshake is a new row, its guide and its tests. */
export const HANDSHAKES: readonly HandshakeRow[] = [...ECHO_HANDSHAKES, ...SETUP_HANDSHAKES, ...SIGNED_HANDSHAKES].sort(
  byName,
);

/** The handshakes of a webhook, including those that need a verify token that the webhook does not name. */
export function findHandshakes({ authMode, signatureScheme }: WebhookAuth): HandshakeRow[] {
  if (authMode === 'token') return [];
  return HANDSHAKES.filter((row) =>
    authMode === 'url_token' ? row.scheme === null : row.scheme !== null && row.scheme === signatureScheme,
  );
}

/**
 * Does this webhook sign challenges of unauthenticated senders? Then a body that has the form of such a challenge must not
 * verify: it is not a delivery, but it would count against the rate limit of the webhook.
 */
export function signsUnverifiedChallenges(webhook: WebhookAuth): boolean {
  return findHandshakes(webhook).some((row) => row.signs && row.phase !== 'verified');
}

/**
 * Compiles the handshakes that a webhook answers. Most webhooks answer none.
 *
 * @param verifyTokenText `null` if the webhook names none
 */
export function compileHandshakes(
  webhook: WebhookAuth,
  secretText: string,
  verifyTokenText: string | null,
): LiveHandshake[] {
  const rows = findHandshakes(webhook).filter((row) => verifyTokenText !== null || !row.needsVerifyToken);
  if (rows.length === 0) return [];
  const keys: HandshakeKeys = { secretText, isVerifyToken: compileVerifyTokenCheck(verifyTokenText ?? '') };
  return rows.map(({ name, phase, respond }) => ({ name, phase, respond: (request) => respond(request, keys) }));
}

function compileVerifyTokenCheck(verifyTokenText: string): HandshakeKeys['isVerifyToken'] {
  const accepts = compileTokenCheck(verifyTokenText);
  // A query is decoded to text, but the check compares bytes, one character each.
  return (presented) => accepts(Buffer.from(presented, 'utf8').toString('latin1'));
}

/** Is this secret still the placeholder, because the provider has not supplied the secret in a handshake? */
export function isSecretPlaceholder(scheme: string | null, secretText: string): boolean {
  return secretText === SECRET_PLACEHOLDER && findScheme(scheme ?? '')?.whenSecretIsIssued === 'handshake';
}
