import { type RequestHeaders, trimBlanks } from '../../domain/deliveries/headers.ts';
import { isJsonObject } from '../../domain/json.ts';
import { CliError } from '../exit-codes.ts';

/** A captured request. */
interface CapturedFile {
  headers: RequestHeaders;
  /** The fields by lowercase name. Values have one character for each byte. */
  fields: ReadonlyMap<string, string>;
  body: Uint8Array;
  /** Wall time in milliseconds. `null` if the file does not contain it. */
  receivedAtMs: number | null;
}

/** Reads a captured request: a JSON object with `headers` and a body, or the text of an HTTP request. */
export function readCapturedRequest(bytes: Uint8Array): CapturedFile {
  const latin1 = Buffer.from(bytes).toString('latin1');
  return /^\s*\{/.test(latin1) ? readJsonForm(bytes) : readHttpForm(latin1);
}

const FORMS =
  'Use {"headers": {"Name": "value"}, "body": "text"} with "body_base64" for exact bytes, or an HTTP request as text.';

function readJsonForm(bytes: Uint8Array): CapturedFile {
  const value = parse(bytes);
  if (!isJsonObject(value)) throw reject('is not a JSON object');
  const { headers, body, body_base64: base64, received_at: receivedAt } = value;
  if (!isJsonObject(headers)) throw reject('has no object "headers"');
  return {
    ...toHeaders(Object.entries(headers).map(([name, text]) => [name, readHeader(name, text)])),
    body: readBody(body, base64),
    receivedAtMs: readInstant(receivedAt),
  };
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw reject('starts like JSON, but is not valid JSON');
  }
}

/** Header values have one character for each byte, as in the ingress. */
function readHeader(name: string, value: unknown): string {
  const text = Array.isArray(value) ? value.join(', ') : value;
  if (typeof text !== 'string') throw reject(`has a header that is not a string: ${JSON.stringify(name)}`);
  return Buffer.from(text, 'utf8').toString('latin1');
}

function readBody(body: unknown, base64: unknown): Uint8Array {
  if ((body === undefined) === (base64 === undefined)) throw reject('needs either "body" or "body_base64"');
  if (typeof body === 'string') return Buffer.from(body, 'utf8');
  if (typeof base64 === 'string' && /^[A-Za-z0-9+/\s]*(?:=\s*){0,2}$/.test(base64))
    return Buffer.from(base64, 'base64');
  throw reject('has a body that is not a string; a parsed body cannot be verified');
}

function readInstant(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) throw reject('has an invalid "received_at"; use a time such as 2026-01-02T03:04:05Z');
  return ms;
}

/** Request line, header fields, an empty line, and then the exact bytes of the body. */
function readHttpForm(text: string): CapturedFile {
  const match = /^(?:[A-Z]+ \S+ HTTP\/[\d.]+\r?\n)?((?:[^\r\n:]+:[^\r\n]*\r?\n)+)\r?\n/.exec(text);
  if (match === null) throw reject('is neither JSON nor an HTTP request with an empty line after its header fields');
  const fields = match[1]!.trimEnd().split(/\r?\n/);
  return {
    ...toHeaders(
      fields.map((field) => {
        const at = field.indexOf(':');
        return [field.slice(0, at), field.slice(at + 1)];
      }),
    ),
    body: Buffer.from(text.slice(match[0].length), 'latin1'),
    receivedAtMs: null,
  };
}

function toHeaders(fields: readonly (readonly [string, string])[]): Pick<CapturedFile, 'headers' | 'fields'> {
  const byName = new Map<string, string>();
  for (const [name, value] of fields) {
    const key = name.trim().toLowerCase();
    const earlier = byName.get(key);
    const text = trimBlanks(value);
    byName.set(key, earlier === undefined ? text : `${earlier}, ${text}`);
  }
  return { fields: byName, headers: { get: (name) => byName.get(name) } };
}

function reject(what: string): CliError {
  return new CliError(`The captured request ${what}.`, { hint: FORMS });
}
