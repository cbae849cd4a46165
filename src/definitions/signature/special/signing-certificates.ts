import { type KeyObject, X509Certificate } from 'node:crypto';
import type { FindSigningKey } from '../verification.ts';

/** Fetches a small text over HTTPS, without following redirects. Rejects for any status except `200`. */
type FetchText = (url: string) => Promise<string>;

const TIMEOUT_MS = 5_000;
const MAX_CERTIFICATE_BYTES = 65_536;

/** AWS has about forty regions and changes a certificate once a year. */
const MAX_KEYS = 64;
const KEEP_MS = 24 * 3_600_000;
/** Failures are cached too: a sender can name many files, and not each of them may cause a request. */
const KEEP_FAILURE_MS = 60_000;
const MAX_FETCHES_AT_ONCE = 4;

interface Kept {
  key: Promise<KeyObject | null>;
  untilMs: number;
}

/** Fetches each certificate once a day. The number of concurrent requests and the cache are bounded. */
export function createKeyFinder(fetchText: FetchText = fetchOverHttps): FindSigningKey {
  const kept = new Map<string, Kept>();
  let fetching = 0;
  return async (url, nowMs) => {
    const known = kept.get(url);
    if (known !== undefined && nowMs < known.untilMs) return known.key;
    if (fetching >= MAX_FETCHES_AT_ONCE) return null;
    fetching++;
    const entry: Kept = { key: loadKey(fetchText, url, nowMs), untilMs: nowMs + KEEP_MS };
    keep(kept, url, entry);
    const key = await entry.key;
    fetching--;
    if (key === null) entry.untilMs = nowMs + KEEP_FAILURE_MS;
    return key;
  };
}

/** Evicts the oldest entry. */
function keep(kept: Map<string, Kept>, url: string, entry: Kept): void {
  kept.delete(url);
  if (kept.size >= MAX_KEYS) kept.delete(kept.keys().next().value!);
  kept.set(url, entry);
}

async function loadKey(fetchText: FetchText, url: string, nowMs: number): Promise<KeyObject | null> {
  try {
    const certificate = new X509Certificate(await fetchText(url));
    const isValid = nowMs >= Date.parse(certificate.validFrom) && nowMs <= Date.parse(certificate.validTo);
    return isValid && certificate.publicKey.asymmetricKeyType === 'rsa' ? certificate.publicKey : null;
  } catch {
    return null;
  }
}

async function fetchOverHttps(url: string): Promise<string> {
  // Imported lazily: validating definitions fetches nothing.
  const { request } = await import('undici');
  const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_CERTIFICATE_BYTES) throw new Error('the certificate is too large');
    chunks.push(chunk);
  }
  if (statusCode !== 200) throw new Error(`the server of the certificate answered ${statusCode}`);
  return Buffer.concat(chunks).toString('utf8');
}
