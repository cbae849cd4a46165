import type { RequestHeaders } from '../../../domain/deliveries/headers.ts';
import { type KeyForm, type SignatureScheme, TIMESTAMP_UNITS, type TimestampRule } from '../scheme.ts';
import { BODY } from '../schemes/parts.ts';
import { listCredentialPlaces } from '../schemes/schemes.ts';
import { type DiagnosedRequest, findHmacForm, type Mistake, mapHeaders, type SchemeVariant } from './mistake.ts';

/** Mistakes in the form of the signature and in the signed content. */
export const FORM_MISTAKES: readonly Mistake[] = [
  { id: 'signature_encoding', tried: 'the signature in hex instead of base64, and the reverse', vary: varyEncoding },
  { id: 'signature_alphabet', tried: 'hex in uppercase, base64 for URLs or without padding', vary: varyAlphabet },
  { id: 'signature_prefix', tried: 'the signature without its prefix, and with another prefix', vary: varyPrefix },
  { id: 'signature_algorithm', tried: 'the other hash algorithms', vary: varyAlgorithm },
  { id: 'signed_content', tried: 'a signature of only the body', vary: varyContent },
  { id: 'public_url', tried: 'other forms of the URL', vary: varyUrl },
];

function* varyEncoding({ scheme }: DiagnosedRequest): Iterable<SchemeVariant> {
  if (scheme.family !== 'signature') return;
  const other = scheme.encoding === 'hex' ? 'base64' : 'hex';
  const sentence = `The signature is correct, but it is written in ${other}, and this scheme uses ${scheme.encoding}: make the sender write ${scheme.encoding}, or describe the sender with \`signatureScheme: custom\` and \`encoding: ${other}\`.`;
  yield { scheme: { ...scheme, encoding: other }, sentence };
}

function* varyAlphabet({ scheme, headers }: DiagnosedRequest): Iterable<SchemeVariant> {
  if (scheme.family !== 'signature') return;
  const names = listCredentialPlaces(scheme).map((name) => name.toLowerCase());
  const right = scheme.encoding === 'hex' ? 'hex in lowercase' : 'base64 with the standard alphabet and padding';
  const sentence = `The signature is correct, but it is not written as ${right}, which this scheme requires: make the sender write it in that form.`;
  const rewrite = scheme.encoding === 'hex' ? lowerHex : standardBase64;
  yield { headers: mapHeaders(headers, names, rewrite), sentence };
}

function lowerHex(value: string): string {
  return value.replace(/[0-9A-Fa-f]{40,}/g, (digits) => digits.toLowerCase());
}

function standardBase64(value: string): string {
  return value.replace(/[A-Za-z0-9+/_-]{27,}={0,2}/g, (one) => {
    const standard = one.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
    return standard.padEnd(Math.ceil(standard.length / 4) * 4, '=');
  });
}

const LABELS = ['sha256', 'sha1', 'sha512', 'hmac-sha256', 'v1', 'v0'] as const;

function* varyPrefix({ scheme }: DiagnosedRequest): Iterable<SchemeVariant> {
  if (scheme.family !== 'signature' || scheme.timestamp?.from.place === 'entry') return;
  const { labelSeparator } = scheme;
  const expected = scheme.keys[0]?.label;
  if (labelSeparator !== null && expected) {
    const sentence = `The signature is correct, but the prefix \`${expected}${labelSeparator}\` is missing: make the sender write it before the signature.`;
    yield { scheme: relabel({ ...scheme, entrySeparator: null, labelSeparator: null }, null), sentence };
  }
  for (const label of LABELS) {
    const wanted = expected ? `\`${expected}${labelSeparator}\`` : 'no prefix';
    const sentence = `The signature is correct, but it follows \`${label}=\`, and this scheme has ${wanted}: make the sender write it in that form, or describe the sender with \`signatureScheme: custom\` and \`label: ${label}\`.`;
    if (label !== expected) yield { scheme: relabel({ ...scheme, labelSeparator: '=' }, label), sentence };
  }
}

function relabel(scheme: SignatureScheme, label: string | null): SignatureScheme {
  return { ...scheme, keys: scheme.keys.map((key): KeyForm => ({ ...key, label })) };
}

function* varyAlgorithm({ scheme, secret }: DiagnosedRequest): Iterable<SchemeVariant> {
  const form = findHmacForm(scheme, secret.text);
  if (form === null || scheme.family !== 'signature' || form.algorithm.kind !== 'hmac') return;
  for (const hash of ['sha256', 'sha1', 'sha512'] as const) {
    if (hash === form.algorithm.hash) continue;
    const sentence = `The sender signs with HMAC-${hash.toUpperCase()}, but this scheme uses HMAC-${form.algorithm.hash.toUpperCase()}: change it at the sender, or describe the sender with \`signatureScheme: custom\` and \`algorithm: hmac-${hash}\`.`;
    yield { scheme: { ...scheme, keys: [{ ...form, algorithm: { kind: 'hmac', hash } }] }, sentence };
  }
}

function* varyContent({ scheme }: DiagnosedRequest): Iterable<SchemeVariant> {
  if (scheme.family !== 'signature' || scheme.content.every((part) => part.part === 'body')) return;
  const sentence =
    'The sender signs only the body, but this scheme signs more (a timestamp, an ID or the URL): make the sender sign everything that the page of the scheme lists, in that order.';
  yield { scheme: { ...scheme, content: [BODY], timestamp: null }, sentence };
}

function* varyUrl({ scheme, publicUrl, headers }: DiagnosedRequest): Iterable<SchemeVariant> {
  if (publicUrl === null || !signsUrl(scheme)) return;
  const sentence =
    'The sender signs another form of the URL (scheme, host, port, a slash at the end, or the query): give the sender exactly the URL that `dockbell webhook show` prints, and set `baseUrl` to the address that senders use.';
  for (const spelling of listSpellings(publicUrl, headers)) yield { publicUrl: spelling, sentence };
}

const HOST = /^[A-Za-z0-9.:[\]-]{1,255}$/;

function* listSpellings(publicUrl: string, headers: RequestHeaders): Iterable<string> {
  const [, host = '', path = '', query] = /^https?:\/\/([^/?#]*)([^?]*)(\?.*)?$/s.exec(publicUrl) ?? [];
  const asked = ['host', 'x-forwarded-host'].map((name) => (headers.get(name) ?? '').split(',', 1)[0]!.trim());
  const bare = host.replace(/:\d+$/, '');
  const hosts = new Set([host, bare, ...asked.filter((one) => HOST.test(one))]);
  for (const one of hosts) {
    for (const protocol of ['https:', 'http:']) {
      for (const spelling of [path, path.endsWith('/') ? path.slice(0, -1) : `${path}/`]) {
        yield `${protocol}//${one}${spelling}`;
        if (query !== undefined) yield `${protocol}//${one}${spelling}${query}`;
      }
    }
  }
}

function signsUrl(scheme: DiagnosedRequest['scheme']): boolean {
  if (scheme.family === 'special') return scheme.signsUrl;
  return scheme.family === 'signature' && scheme.content.some((part) => part.part === 'url');
}

/** Mistakes in the timestamp; the only ones that check it. */
export const CLOCK_MISTAKES: readonly Mistake[] = [
  { id: 'timestamp_unit', tried: 'the timestamp in another unit', vary: varyUnit },
  { id: 'clock', tried: 'the timestamp without its tolerance', vary: varyClock },
];

function* varyUnit({ scheme }: DiagnosedRequest): Iterable<SchemeVariant> {
  if (scheme.family !== 'signature' || !scheme.timestamp?.signed) return;
  for (const unit of TIMESTAMP_UNITS) {
    if (unit === scheme.timestamp.unit) continue;
    const timestamp: TimestampRule = { ...scheme.timestamp, unit };
    const sentence = `The timestamp is in ${unit}, but this scheme uses ${scheme.timestamp.unit}: make the sender write ${scheme.timestamp.unit}.`;
    yield { scheme: { ...scheme, timestamp }, checksClock: true, sentence };
  }
}

function* varyClock({ scheme, detail }: DiagnosedRequest): Iterable<SchemeVariant> {
  if (scheme.family !== 'signature' || !scheme.timestamp?.signed) return;
  const by = detail === null ? '' : ` (${detail})`;
  yield {
    sentence: `The signature is valid, but its timestamp differs too much from the clock of this host${by}: synchronize the clocks of the sender and of this host with a time server, and make the sender sign each retry again.`,
  };
}
