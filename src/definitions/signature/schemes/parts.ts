import type {
  Algorithm,
  ContentPart,
  HeaderFamily,
  KeyForm,
  RequestPlace,
  RetryFacts,
  SignatureScheme,
} from '../scheme.ts';

/** The raw body. */
export const BODY = { part: 'body' } as const;
export const TIMESTAMP = { part: 'timestamp' } as const;
export const IDENTITY = { part: 'identity' } as const;
export const METHOD = { part: 'method' } as const;
export const PUBLIC_URL = { part: 'url', decodes: [] } as const;

export const SHA1 = { kind: 'hmac', hash: 'sha1' } as const;
export const SHA256 = { kind: 'hmac', hash: 'sha256' } as const;
export const SHA512 = { kind: 'hmac', hash: 'sha512' } as const;

/** Five minutes, if the provider documents no tolerance. */
export const DEFAULT_TOLERANCE_SECONDS = 300;

export function text(literal: string): ContentPart {
  return { part: 'text', text: literal };
}

export function header(name: string): RequestPlace {
  return { in: 'header', name };
}

/** The secret exactly as pasted: some secrets look like base64 but must not be decoded. */
export function textKey(label: string | null, algorithm: Algorithm = SHA256): KeyForm {
  return { prefix: '', decode: 'text', minBytes: 1, maxBytes: Number.POSITIVE_INFINITY, algorithm, label };
}

/** A public key as PEM or as the base64 of its DER. */
export function publicKey(algorithm: Algorithm, label: string | null = null): KeyForm {
  return { prefix: '', decode: 'spki', minBytes: 0, maxBytes: Number.POSITIVE_INFINITY, algorithm, label };
}

export const HOUR_SECONDS = 3600;

/** For providers that document no retries. */
export const UNDOCUMENTED: RetryFacts = { timestamp: 'unknown', plan: null, sources: [] };

/** Retries until a time after the first attempt. Nothing says whether they have a new timestamp. */
export function retriesWithin(withinSeconds: number, source: string | null): RetryFacts {
  return { timestamp: 'unknown', plan: { withinSeconds }, sources: source === null ? [] : [source] };
}

/** Retries with these delays. Nothing says whether they have a new timestamp. */
export function retriesAfter(delaysSeconds: readonly number[], source: string | null): RetryFacts {
  return { timestamp: 'unknown', plan: { delaysSeconds }, sources: source === null ? [] : [source] };
}

/** What most header families have in common: only a signature. */
export const FAMILY = {
  timestamp: null,
  identity: null,
  fallbackIdentity: null,
  required: [],
  fixed: [],
} as const satisfies Partial<HeaderFamily>;

/** What most schemes have in common: one HMAC-SHA256 of the raw body, in hex, in a dedicated header. */
export const ROW = {
  family: 'signature',
  keys: [textKey(null)],
  rejectedSecrets: [],
  entrySeparator: null,
  labelSeparator: null,
  encoding: 'hex',
  unsignedValues: [],
  content: [BODY],
  timestamp: null,
  retries: UNDOCUMENTED,
  canGenerateSecret: false,
  options: null,
} as const satisfies Partial<SignatureScheme>;

/** A signed timestamp in a separate header, in seconds, with the default tolerance. */
export const SECONDS_IN_HEADER = {
  from: { place: 'header' },
  unit: 'seconds',
  signed: true,
  toleranceSeconds: DEFAULT_TOLERANCE_SECONDS,
} as const;
