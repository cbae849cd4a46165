import type { SignedDelivery, UnsignedDelivery } from './outgoing-delivery.ts';
import type { SpecialMistake } from './rejected-request.ts';
import type { FindSigningKey, Verify } from './verification.ts';

/** How presented signatures and keys are checked. The sender's headers have no say in it (rule of the stored key). */
export type Algorithm =
  | { kind: 'hmac'; hash: 'sha1' | 'sha256' | 'sha512' }
  | { kind: 'ed25519' }
  /** Over the curve P-256 with SHA-256; signatures in DER. */
  | { kind: 'ecdsa-p256' }
  /** PKCS#1 v1.5. */
  | { kind: 'rsa'; hash: 'sha1' | 'sha256' };

/** One form that the stored secret may have, and what it makes of the scheme. */
export interface KeyForm {
  /** The secret has this form when it starts with this text; `''` fits any. The first form that fits counts. */
  prefix: string;
  /**
   * `text`: the whole secret, its prefix included, as UTF-8. `base64`, `hex`: what follows the prefix, decoded.
   * `spki`: a public key, as PEM or as the base64 of its DER.
   */
  decode: 'text' | 'base64' | 'hex' | 'spki';
  /** Does the sender decode HTML entities in the text before it is the key? */
  unescapesHtml?: true;
  /** Bounds of the decoded key; not asked of `spki`, whose form is checked by its type. */
  minBytes: number;
  maxBytes: number;
  algorithm: Algorithm;
  /** Only signatures under this label count. `null` where the scheme has no labels. */
  label: string | null;
}

/** A secret that is certainly the wrong one, known by how it starts. */
export interface RejectedSecret {
  prefix: string;
  /** What it is, to complete "this is ...". */
  is: string;
}

/** Names of object keys from the root of a JSON body. */
export type BodyPath = readonly string[];

/** Where a text stands in a request: in a header, or in the body, which then has to be JSON. */
export type RequestPlace = { in: 'header'; name: string } | { in: 'json'; path: BodyPath };

/** Parts of a request that belong together. A scheme with several families accepts any of them, never a mixture. */
export interface HeaderFamily {
  name: string;
  /** Where signatures stand; all that are there count, one that matches suffices. A sender uses the first place. */
  signatures: readonly [RequestPlace, ...RequestPlace[]];
  /** The header that holds the moment of signing; `null` where the sender sends none. */
  timestamp: string | null;
  /** What names the delivery (specification, "Delivery identity", 2); `null` where there is nothing. */
  identity: RequestPlace | null;
  /** What names it where `identity` is absent: editions of one provider differ. Never signed. */
  fallbackIdentity: RequestPlace | null;
  /** Headers beside the signature that must be there and not empty. */
  required: readonly string[];
  /** Headers that must hold exactly this text: they say how was signed, and we know one way only. */
  fixed: readonly { name: string; value: string }[];
}

/** One part of what is signed. Each stands for the text exactly as it was received. */
export type ContentPart =
  | { part: 'text'; text: string }
  | { part: 'body' | 'timestamp' | 'identity' | 'method' }
  /** The public URL of the webhook as configured; the escapes listed in `decodes` are decoded first. */
  | { part: 'url'; decodes: readonly string[] }
  | { part: 'header'; name: string }
  | { part: 'json'; path: BodyPath }
  /** The decoded value of a field of a form body. */
  | { part: 'form_field'; name: string };

export const TIMESTAMP_UNITS = ['seconds', 'milliseconds', 'rfc3339'] as const;
export type TimestampUnit = (typeof TIMESTAMP_UNITS)[number];

/** The moment of signing. One that the signature does not cover protects nothing and is not checked. */
export type TimestampRule = {
  /** In a header of its own (`HeaderFamily.timestamp`), an entry of the signature header, or a value of the body. */
  from:
    | { place: 'header' }
    | { place: 'entry'; label: string }
    | { place: 'json'; path: BodyPath; type: 'string' | 'number' };
  unit: TimestampUnit;
} & (
  | {
      signed: true;
      toleranceSeconds: number;
      /** Of moments ahead of our clock, where it is not the same. */
      futureToleranceSeconds?: number;
    }
  | { signed: false }
);

/** What every scheme says of itself, whatever its family. */
export interface SchemeFacts {
  /** Value of `signatureScheme` in a definition file. */
  name: string;
  /** Name of the provider for people. */
  title: string;
  /**
   * `user`: chosen by the user; `app`: exists before any URL; `after`: issued once the provider knows the URL;
   * `handshake`: arrives at the URL itself.
   */
  whenSecretIsIssued: 'user' | 'app' | 'after' | 'handshake';
  /** May we make the secret and give it to the sender? */
  canGenerateSecret: boolean;
  /** The provider's own page about its signatures. */
  documentation: string;
  /** Secrets that are known to be the wrong ones. */
  rejectedSecrets: readonly RejectedSecret[];
  /** Further headers of the provider that carry a credential or its timestamp, and that are not checked. */
  otherCredentialHeaders?: readonly string[];
}

/**
 * A digest or a public-key signature over parts of the request. Rows of this family differ in data only; the one
 * verifier is `compile-verifier.ts`, the one signer `sign.ts`.
 */
export interface SignatureScheme extends SchemeFacts {
  family: 'signature';
  keys: readonly KeyForm[];
  headers: readonly [HeaderFamily, ...HeaderFamily[]];
  /** What stands between several signatures in one header; `null` where the header holds exactly one. */
  entrySeparator: ',' | ';' | ' ' | null;
  /** What stands between label and signature; `null` where signatures carry no label. */
  labelSeparator: '=' | ',' | null;
  encoding: 'hex' | 'base64';
  /** Texts that stand in the place of a signature where the sender has no secret. */
  unsignedValues: readonly string[];
  content: readonly ContentPart[];
  timestamp: TimestampRule | null;
  /** What a definition may set under `signature` beside the preset, because the provider lets its users choose it. */
  options: SchemeOptions | null;
}

/** The name of the signature's header; and the name of a header for the moment of signing, with what is signed then. */
export interface SchemeOptions {
  header: true;
  timestampHeader: Pick<SignatureScheme, 'content' | 'timestamp'>;
}

/** Where a shared value is sent as it is. A sender uses the first place of its scheme. */
export type TokenPlace =
  /** The whole value of a header. */
  | { in: 'header'; name: string }
  | { in: 'bearer' }
  /** `user:password` of `Authorization: Basic`; the secret is both, with the colon. */
  | { in: 'basic' }
  /** The key `key` of every object of the list `list` in the body. */
  | { in: 'json_list'; list: string; key: string };

/** A shared value sent as it is: it proves who knows it, and nothing about the body. */
export interface TokenScheme extends SchemeFacts {
  family: 'token';
  places: readonly [TokenPlace, ...TokenPlace[]];
  /** The header that names the delivery. */
  identity: string | null;
}

/** A scheme that data cannot express: its row, in a file of `special/`, holds the functions that verify and sign. */
export interface SpecialScheme extends SchemeFacts {
  family: 'special';
  /** Where the signature is. */
  signature: RequestPlace;
  /** The value of the body that identifies the delivery; `null` if there is none. */
  identity: BodyPath | null;
  /** For the reference: algorithm, form of the signature, signed content. */
  described: { digest: string; form: string; content: string };
  /** How to enter the secret; one sentence. */
  secretHint: string;
  /** Why a text cannot be the secret, to complete "The secret ..."; `null` if it can. */
  findSecretFault(secretText: string): string | null;
  compile(secretText: string, findKey: FindSigningKey): Verify;
  /** `null` if only the provider can sign. */
  sign: ((secretText: string, delivery: UnsignedDelivery) => SignedDelivery) | null;
  /** Does the signature cover the URL? */
  signsUrl: boolean;
  /** Does verification need a certificate of the provider? A diagnosis fetches nothing, so the user supplies it there. */
  needsCertificate: boolean;
  /** Mistakes that are possible only under this scheme. */
  mistakes: readonly SpecialMistake[];
}

/** A signature scheme: how a provider proves that a delivery is its own. */
export type Scheme = SignatureScheme | TokenScheme | SpecialScheme;
