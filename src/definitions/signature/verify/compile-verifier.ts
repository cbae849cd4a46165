import type { Scheme } from '../scheme.ts';
import { createKeyFinder } from '../special/signing-certificates.ts';
import { compileTokenVerifier } from '../tokens/token-verifier.ts';
import type { FindSigningKey, Verify } from '../verification.ts';
import { findSecretFault, type UnusableSecret } from './read-key.ts';
import { compileSignatureVerifier } from './signature-verifier.ts';

/** Compiles the verifier of one webhook; the key is decoded here, once. Fails if the scheme cannot use the secret. */
export function compileVerifier(
  scheme: Scheme,
  secretText: string,
  findKey: FindSigningKey = createKeyFinder(),
): { ok: true; verify: Verify } | UnusableSecret {
  if (scheme.family === 'signature') return compileSignatureVerifier(scheme, secretText);
  if (scheme.family === 'token') return compileTokenVerifier(scheme, secretText);
  const fault = findSecretFault(scheme, secretText) ?? scheme.findSecretFault(secretText);
  if (fault === null) return { ok: true, verify: scheme.compile(secretText, findKey) };
  return { ok: false, message: `The secret for ${scheme.title} ${fault}.`, hint: scheme.secretHint };
}
