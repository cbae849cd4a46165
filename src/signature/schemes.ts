/** How presented signatures and keys are checked. The sender's headers have no say in it (rule of the stored key). */
export type Algorithm = { kind: 'hmac'; hash: 'sha1' | 'sha256' } | { kind: 'ed25519' };

/** One form that the stored secret may have, and what it makes of the scheme. */
export interface KeyForm {
  /** The secret has this form when it starts with this text; `''` fits any. The first form that fits counts. */
  prefix: string;
  /** `text`: the whole secret, its prefix included, as UTF-8. `base64`: what follows the prefix, decoded. */
  decode: 'text' | 'base64';
  minBytes: number;
  maxBytes: number;
  algorithm: Algorithm;
  /** Only signatures under this label count. `null` where the scheme has no labels. */
  label: string | null;
}

/** A secret that is certainly the wrong one, known by how it starts. */
export interface RefusedSecret {
  prefix: string;
  /** What it is, to complete "this is ...". */
  is: string;
}

/** Request headers that belong together. A scheme with several families accepts any of them, but never a mixture. */
export interface HeaderFamily {
  name: string;
  signature: string;
  /** The header that holds the moment of signing; `null` where the sender sends none. */
  timestamp: string | null;
  /** The header that names the delivery (specification, "Delivery identity", 2); `null` where there is none. */
  identity: string | null;
  /** Headers beside the signature that must be there and not empty. */
  required: readonly string[];
}

/** One part of what is signed. `timestamp` and `identity` stand for the text exactly as it was received. */
export type ContentPart = { part: 'text'; text: string } | { part: 'body' | 'timestamp' | 'identity' };

/** The moment of signing. One that the signature does not cover protects nothing and is not checked. */
export type TimestampRule = {
  /** In a header of its own (`HeaderFamily.timestamp`), or an entry of the signature header. */
  from: { place: 'header' } | { place: 'entry'; label: string };
  unit: 'seconds';
} & ({ signed: true; toleranceSeconds: number } | { signed: false });

/**
 * A signature scheme: how a provider proves that a delivery is its own. Rows of this family differ in data only; the
 * one verifier is `compile-verifier.ts`, the one signer `sign.ts`.
 */
export interface Scheme {
  family: 'signature';
  /** Value of `signatureScheme` in a definition file. */
  name: string;
  /** Name of the provider for people. */
  title: string;
  keys: readonly KeyForm[];
  refusedSecrets: readonly RefusedSecret[];
  headers: readonly [HeaderFamily, ...HeaderFamily[]];
  /** What stands between several signatures in one header; `null` where the header holds exactly one. */
  entrySeparator: ',' | ' ' | null;
  /** What stands between label and signature; `null` where signatures carry no label. */
  labelSeparator: '=' | ',' | null;
  encoding: 'hex' | 'base64';
  content: readonly ContentPart[];
  timestamp: TimestampRule | null;
  /** `user`: chosen by the user; `app`: exists before any URL; `after`: issued once the provider knows the URL. */
  whenSecretIsIssued: 'user' | 'app' | 'after';
  /** May we make the secret and give it to the sender? */
  canGenerateSecret: boolean;
  /** The provider's own page about its signatures. */
  documentation: string;
}

const BODY = { part: 'body' } as const;
const DOT = { part: 'text', text: '.' } as const;

const SHA256 = { kind: 'hmac', hash: 'sha256' } as const;

/** The secret as it is pasted, whatever it looks like: some look like base64 and must not be decoded. */
function textKey(label: string | null, algorithm: Algorithm = SHA256): KeyForm {
  return { prefix: '', decode: 'text', minBytes: 1, maxBytes: Number.POSITIVE_INFINITY, algorithm, label };
}

/**
 * The specification of Standard Webhooks asks senders for 24 to 64 bytes, but no library insists and Svix's own guide
 * shows a secret of 18. 16 bytes (128 bits) is what cannot be guessed.
 */
function standardWebhooksKey(prefix: string): KeyForm {
  return { prefix, decode: 'base64', minBytes: 16, maxBytes: 64, algorithm: SHA256, label: 'v1' };
}

/** The table of schemes, by name. A new provider of this family is a new row here, its vectors and its documentation. */
export const SCHEMES: readonly Scheme[] = [
  {
    family: 'signature',
    name: 'github',
    title: 'GitHub',
    keys: [textKey('sha256')],
    refusedSecrets: [],
    headers: [
      {
        name: 'github',
        signature: 'X-Hub-Signature-256',
        timestamp: null,
        identity: 'X-GitHub-Delivery',
        required: [],
      },
    ],
    entrySeparator: null,
    labelSeparator: '=',
    encoding: 'hex',
    content: [BODY],
    timestamp: null,
    whenSecretIsIssued: 'user',
    canGenerateSecret: false,
    documentation: 'https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries',
  },
  {
    family: 'signature',
    name: 'pagerduty',
    title: 'PagerDuty',
    keys: [textKey('v1')],
    refusedSecrets: [],
    headers: [
      {
        name: 'pagerduty',
        signature: 'X-PagerDuty-Signature',
        timestamp: null,
        identity: 'X-Webhook-Id',
        required: [],
      },
    ],
    entrySeparator: ',',
    labelSeparator: '=',
    encoding: 'hex',
    content: [BODY],
    timestamp: null,
    whenSecretIsIssued: 'after',
    canGenerateSecret: false,
    documentation: 'https://developer.pagerduty.com/docs/webhooks/',
  },
  {
    family: 'signature',
    name: 'sentry',
    title: 'Sentry',
    keys: [textKey(null)],
    refusedSecrets: [],
    headers: [
      {
        name: 'sentry',
        signature: 'Sentry-Hook-Signature',
        timestamp: 'Sentry-Hook-Timestamp',
        identity: 'Request-ID',
        required: [],
      },
    ],
    entrySeparator: null,
    labelSeparator: null,
    encoding: 'hex',
    content: [BODY],
    timestamp: { from: { place: 'header' }, unit: 'seconds', signed: false },
    whenSecretIsIssued: 'app',
    canGenerateSecret: false,
    documentation: 'https://docs.sentry.io/organization/integrations/integration-platform/webhooks/',
  },
  {
    family: 'signature',
    name: 'standard_webhooks',
    title: 'Standard Webhooks',
    keys: [
      {
        prefix: 'whpk_',
        decode: 'base64',
        minBytes: 32,
        maxBytes: 32,
        algorithm: { kind: 'ed25519' },
        label: 'v1a',
      },
      standardWebhooksKey('whsec_'),
      standardWebhooksKey(''),
    ],
    refusedSecrets: [
      { prefix: 'whsk_', is: "the sender's private key; paste the public key, which starts with `whpk_`" },
    ],
    headers: [
      {
        name: 'webhook',
        signature: 'webhook-signature',
        timestamp: 'webhook-timestamp',
        identity: 'webhook-id',
        required: ['webhook-id'],
      },
      {
        name: 'svix',
        signature: 'svix-signature',
        timestamp: 'svix-timestamp',
        identity: 'svix-id',
        required: ['svix-id'],
      },
    ],
    entrySeparator: ' ',
    labelSeparator: ',',
    encoding: 'base64',
    content: [{ part: 'identity' }, DOT, { part: 'timestamp' }, DOT, BODY],
    timestamp: { from: { place: 'header' }, unit: 'seconds', signed: true, toleranceSeconds: 300 },
    whenSecretIsIssued: 'after',
    canGenerateSecret: true,
    documentation: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  },
  {
    family: 'signature',
    name: 'stripe',
    title: 'Stripe',
    // The whole text with its `whsec_` is the key, unlike in Standard Webhooks.
    keys: [textKey('v1')],
    refusedSecrets: [
      {
        prefix: 'sk_',
        is: "an API key of the account; paste the endpoint's signing secret, which starts with `whsec_`",
      },
      {
        prefix: 'rk_',
        is: "an API key of the account; paste the endpoint's signing secret, which starts with `whsec_`",
      },
      {
        prefix: 'pk_',
        is: "an API key of the account; paste the endpoint's signing secret, which starts with `whsec_`",
      },
    ],
    headers: [{ name: 'stripe', signature: 'Stripe-Signature', timestamp: null, identity: null, required: [] }],
    entrySeparator: ',',
    labelSeparator: '=',
    encoding: 'hex',
    content: [{ part: 'timestamp' }, DOT, BODY],
    timestamp: { from: { place: 'entry', label: 't' }, unit: 'seconds', signed: true, toleranceSeconds: 300 },
    whenSecretIsIssued: 'after',
    canGenerateSecret: false,
    documentation: 'https://docs.stripe.com/webhooks/signature',
  },
  {
    family: 'signature',
    name: 'vercel',
    title: 'Vercel',
    keys: [textKey(null, { kind: 'hmac', hash: 'sha1' })],
    refusedSecrets: [],
    headers: [{ name: 'vercel', signature: 'x-vercel-signature', timestamp: null, identity: null, required: [] }],
    entrySeparator: null,
    labelSeparator: null,
    encoding: 'hex',
    content: [BODY],
    timestamp: null,
    whenSecretIsIssued: 'after',
    canGenerateSecret: false,
    documentation: 'https://vercel.com/docs/webhooks/webhooks-api',
  },
];

/** Names of all schemes, in the order of the table. */
export const SCHEME_NAMES: readonly string[] = SCHEMES.map((scheme) => scheme.name);

const BY_NAME: ReadonlyMap<string, Scheme> = new Map(SCHEMES.map((scheme) => [scheme.name, scheme]));

/** The scheme of that name, compared exactly. */
export function findScheme(name: string): Scheme | undefined {
  return BY_NAME.get(name);
}
