import type { Scheme, SchemeFacts } from '../scheme.ts';
import { listCredentialPlaces, listIdentities } from './schemes.ts';

/** What people need to know about a signature scheme to use it: shown by the management API, the CLI and the reference. */
export interface SignatureSchemeFacts
  extends Pick<SchemeFacts, 'name' | 'title' | 'whenSecretIsIssued' | 'canGenerateSecret' | 'documentation'> {
  /** What identifies a delivery: headers, or values of the body as `body a.b`. */
  identities: string[];
  /** Where the signature or the token is, in the same notation. */
  credentialPlaces: string[];
  /**
   * What signs a test delivery. `secret`: the secret of the webhook. `private_key`: the private key that belongs to the
   * stored public key. `provider`: nothing else; only the provider can sign.
   */
  signedWith: 'secret' | 'private_key' | 'provider';
}

/** The facts about a scheme. */
export function describeScheme(scheme: Scheme): SignatureSchemeFacts {
  const { name, title, whenSecretIsIssued, canGenerateSecret, documentation } = scheme;
  return {
    name,
    title,
    whenSecretIsIssued,
    canGenerateSecret,
    documentation,
    identities: listIdentities(scheme),
    credentialPlaces: listCredentialPlaces(scheme),
    signedWith: findSigner(scheme),
  };
}

function findSigner(scheme: Scheme): SignatureSchemeFacts['signedWith'] {
  if (scheme.family === 'special') return scheme.sign === null ? 'provider' : 'secret';
  if (scheme.family === 'token') return 'secret';
  return scheme.keys.some((key) => key.algorithm.kind === 'hmac') ? 'secret' : 'private_key';
}
