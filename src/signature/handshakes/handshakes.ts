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

/** The table of handshakes, by name. A new one is a new row and its tests. */
export const HANDSHAKES: readonly HandshakeRow[] = [...ECHO_HANDSHAKES, ...SETUP_HANDSHAKES, ...SIGNED_HANDSHAKES].sort(
  byName,
);

/** The handshakes of a webhook, whether or not it names the verify token that some of them need. */
export function findHandshakes({ authMode, signatureScheme }: WebhookAuth): HandshakeRow[] {
  if (authMode === 'token') return [];
  return HANDSHAKES.filter((row) =>
    authMode === 'url_token' ? row.scheme === null : row.scheme !== null && row.scheme === signatureScheme,
  );
}

/**
 * Does this scheme tell strangers digests of what they choose? A body that may be chosen so must not verify there:
 * it would be no delivery, but it would count against the rate of the webhook as one.
 */
export function signsUnverifiedChallenges(owner: WebhookAuth): boolean {
  return findHandshakes(owner).some((row) => row.signs && row.phase !== 'verified');
}

/**
 * The handshakes that a webhook answers: none for most.
 *
 * @param verifyTokenText `null` where the webhook names none
 */
export function compileHandshakes(
  owner: WebhookAuth,
  secretText: string,
  verifyTokenText: string | null,
): LiveHandshake[] {
  const rows = findHandshakes(owner).filter((row) => verifyTokenText !== null || !row.needsVerifyToken);
  if (rows.length === 0) return [];
  const keys: HandshakeKeys = { secretText, isVerifyToken: compileVerifyTokenCheck(verifyTokenText ?? '') };
  return rows.map(({ name, phase, respond }) => ({ name, phase, respond: (request) => respond(request, keys) }));
}

function compileVerifyTokenCheck(verifyTokenText: string): HandshakeKeys['isVerifyToken'] {
  const accepts = compileTokenCheck(verifyTokenText);
  // A query is decoded to text; the check compares bytes, one character each.
  return (presented) => accepts(Buffer.from(presented, 'utf8').toString('latin1'));
}

/** Is this secret still the placeholder, because the handshake in which the provider supplies the secret is missing? */
export function isSecretPlaceholder(scheme: string | null, secretText: string): boolean {
  return secretText === SECRET_PLACEHOLDER && findScheme(scheme ?? '')?.whenSecretIsIssued === 'handshake';
}
