// Signature schemes as data. In: a request with its exact bytes, a secret, the name of a scheme. Out: verified or a reason,
// and for the sender of test deliveries a signed request. The rows are in `schemes/`; this file says what a row can contain.
// One verifier (`verify/signature-verifier.ts`) and one signer (`sign/sign-request.ts`) read them. What no row can express is
// in `special/`; tokens in `tokens/token-verifier.ts`.
// Next: `handshakes/handshakes.ts` for requests that only ask whether somebody is there, `diagnose/diagnose-request.ts` for
// the mistake behind a rejection.

import type { EventPlace } from '../../domain/deliveries/event-name.ts';
import type { SignedDelivery, UnsignedDelivery } from './outgoing-delivery.ts';
import type { SpecialMistake } from './rejected-request.ts';
import type { FindSigningKey, Verify } from './verification.ts';

/** How signatures and keys are checked. Follows from the stored key only, never from headers of the sender. */
export type Algorithm =
  | { kind: 'hmac'; hash: 'sha1' | 'sha256' | 'sha512' }
  | { kind: 'ed25519' }
  /** On the curve P-256 with SHA-256; signatures in DER. */
  | { kind: 'ecdsa-p256' }
  /** PKCS#1 v1.5. */
  | { kind: 'rsa'; hash: 'sha1' | 'sha256' };

/** One form that the stored secret may have, and the algorithm that follows from it. */
export interface KeyForm {
  /** The secret has this form if it starts with this text; `''` matches any. The first form that matches counts. */
  prefix: string;
  /**
   * `text`: the whole secret with its prefix, as UTF-8. `base64`, `hex`: the part after the prefix, decoded.
   * `spki`: a public key, as PEM or as the base64 of its DER.
   */
  decode: 'text' | 'base64' | 'hex' | 'spki';
  /** Does the sender decode HTML entities in the text before it uses it as the key? */
  unescapesHtml?: true;
  /** Bounds of the decoded key; ignored for `spki`, which is checked by its type. */
  minBytes: number;
  maxBytes: number;
  algorithm: Algorithm;
  /** Only signatures under this label count. `null` if the scheme has no labels. */
  label: string | null;
}

/** A secret that is certainly wrong, recognized by its beginning. */
interface RejectedSecret {
  prefix: string;
  /** What it is, to complete "this is ...". */
  is: string;
}

/** Names of object keys from the root of a JSON body. */
export type BodyPath = readonly string[];

/** The location of a text in a request: a header, or a value of a JSON body. */
export type RequestPlace = { in: 'header'; name: string } | { in: 'json'; path: BodyPath };

/** Parts of a request that belong together. A scheme with several families accepts any of them, but no mixture. */
export interface HeaderFamily {
  name: string;
  /** The locations of signatures. All that are present count, and one match suffices. We send in the first one. */
  signatures: readonly [RequestPlace, ...RequestPlace[]];
  /** The header with the timestamp; `null` if the sender sends none. */
  timestamp: string | null;
  /** What identifies the delivery (specification, "Delivery identity", 2); `null` if nothing does. */
  identity: RequestPlace | null;
  /** Used if `identity` is absent: editions of one provider differ. Never signed. */
  fallbackIdentity: RequestPlace | null;
  /** Further headers that must be present and not empty. */
  required: readonly string[];
  /** Headers that must have exactly this value: they describe how the request was signed, and one way is supported. */
  fixed: readonly { name: string; value: string }[];
}

/** One part of the signed content. Each stands for the text exactly as it was received. */
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

/** The timestamp of a signature. A timestamp that the signature does not cover protects nothing and is not checked. */
export type TimestampRule = {
  /** A separate header (`HeaderFamily.timestamp`), an entry of the signature header, or a value of the body. */
  from:
    | { place: 'header' }
    | { place: 'entry'; label: string }
    | { place: 'json'; path: BodyPath; type: 'string' | 'number' };
  unit: TimestampUnit;
} & (
  | {
      signed: true;
      toleranceSeconds: number;
      /** For timestamps ahead of our clock, if the tolerance is different. */
      futureToleranceSeconds?: number;
    }
  | { signed: false }
);

/** When a provider sends a delivery again. */
export type RetryPlan =
  /** The delay before each retry, counted from the attempt before. Empty if the provider never retries. */
  | { delaysSeconds: readonly number[] }
  /** The time from the first attempt to the last retry, if only that is documented. */
  | { withinSeconds: number };

/** What is known about the deliveries that a provider sends again. */
export interface RetryFacts {
  /**
   * The signed timestamp of a retry. `renewed`: the time of the retry. `repeated`: the time of the first attempt. `unknown`:
   * undocumented, so the time window covers both.
   */
  timestamp: 'renewed' | 'repeated' | 'unknown';
  /** `null` if the provider documents none. */
  plan: RetryPlan | null;
  /** The pages on which the timestamp and the plan were looked up. Empty if they are general knowledge, or if nothing is known. */
  sources: readonly string[];
}

/** The ID of the event in the authenticated body. */
interface EventIdPlace {
  path: BodyPath;
  /** The page on which the ID was looked up; `null` if it is general knowledge of the provider. */
  source: string | null;
}

/** The answer that a provider expects after a delivery was stored. */
export interface SuccessAnswer {
  status: 200 | 202;
  /** JSON text. It is the same for all deliveries and has nothing of a payload. `null` for the delivery ID. */
  body: string | null;
}

/** The facts that schemes of every family have. */
export interface SchemeFacts {
  /** Value of `signatureScheme` in a definition file. */
  name: string;
  /** Name of the provider for people. */
  title: string;
  /**
   * `user`: chosen by the user; `app`: exists before any URL; `after`: issued after the provider knows the URL;
   * `handshake`: the provider sends it to the URL.
   */
  whenSecretIsIssued: 'user' | 'app' | 'after' | 'handshake';
  /** May Dockbell generate the secret, for the sender to use? It has the form of Standard Webhooks. */
  canGenerateSecret: boolean;
  /** The provider's own page about its signatures. */
  documentation: string;
  /** Secrets that are known to be wrong. */
  rejectedSecrets: readonly RejectedSecret[];
  /** Further headers of the provider that carry a credential or its timestamp, and that are not checked. */
  otherCredentialHeaders?: readonly string[];
  /** Where the provider writes the name of the event; absent if a delivery has none, or several. */
  event?: EventPlace;
  /** Does the provider send an event with the name `ping` to test the webhook? */
  sendsPing?: true;
  /** The template of a one-line summary of a delivery (`parseSummaryTemplate`). */
  summary?: string;
  retries: RetryFacts;
  /** What identifies a delivery, if the provider sends no header that all attempts share. */
  eventId?: EventIdPlace;
  /** Absent for `202`. Present if the provider documents that it takes no other answer for a success. */
  success?: SuccessAnswer & { source: string };
}

/**
 * An HMAC or a public-key signature over parts of the request. Rows of this family differ in data only: one verifier
 * (`signature-verifier.ts`) and one signer (`sign-request.ts`) serve all of them.
 */
export interface SignatureScheme extends SchemeFacts {
  family: 'signature';
  keys: readonly KeyForm[];
  headers: readonly [HeaderFamily, ...HeaderFamily[]];
  /** The separator of several signatures in one header; `null` if the header contains exactly one. */
  entrySeparator: ',' | ';' | ' ' | null;
  /** The separator of label and signature; `null` if signatures have no label. */
  labelSeparator: '=' | ',' | ' ' | null;
  encoding: 'hex' | 'base64';
  /** Texts that the sender writes in place of a signature if it has no secret. */
  unsignedValues: readonly string[];
  content: readonly ContentPart[];
  timestamp: TimestampRule | null;
  /** What a definition may set under `signature`, because the provider lets its users choose it. */
  options: SchemeOptions | null;
}

/** The name of the signature header; and the name of a timestamp header, with the content that is then signed. */
export interface SchemeOptions {
  header: true;
  timestampHeader: Pick<SignatureScheme, 'content' | 'timestamp'>;
}

/** The location of a token. We send in the first location of a scheme. */
export type TokenPlace =
  /** The whole value of a header. */
  | { in: 'header'; name: string }
  | { in: 'bearer' }
  /** `user:password` of `Authorization: Basic`; the secret is both, with the colon. */
  | { in: 'basic' }
  /** The key `key` of every object of the list `list` in the body. */
  | { in: 'json_list'; list: string; key: string };

/** A shared secret that is sent unchanged: it authenticates the sender, but not the body. */
export interface TokenScheme extends SchemeFacts {
  family: 'token';
  places: readonly [TokenPlace, ...TokenPlace[]];
  /** The header that identifies the delivery; `null` if none does. */
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

/** A signature scheme: how a provider proves that it sent a delivery. */
export type Scheme = SignatureScheme | TokenScheme | SpecialScheme;
