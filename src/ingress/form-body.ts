import { isUtf8 } from 'node:buffer';
import { decodeFormBytes } from '../definitions/signature/verify/request-parts.ts';
import { JSON_FIELD } from '../domain/words/names.ts';
import { type RejectedBody, readJsonBody } from './json-body.ts';
import type { FormRules } from './registry/live-webhook.ts';

/** The JSON of a form, or the reason why the form is not accepted. */
export type ReadForm = { ok: true; json: Buffer<ArrayBuffer> } | RejectedBody;

/** Other servers have the same limit. */
export const MAX_FORM_FIELDS = 1000;

const [AMPERSAND, EQUALS] = [0x26, 0x3d];

/**
 * Converts a form (`application/x-www-form-urlencoded`) into the JSON that filters and runs get: an object of texts, with
 * an array for a repeated field. If the only field is `payload` and contains an object or an array, that is the JSON. If the
 * webhook names the field, its text is the JSON. The result is not checked for valid JSON.
 */
export function readFormBody(
  body: Buffer,
  { jsonField, signedFields }: FormRules,
  contentType: string | undefined,
): ReadForm {
  if (body.length === 0) return { ok: false, reason: 'empty_body', detail: null };
  if (/json|multipart/i.test(contentType ?? '')) return rejectType(body);
  const fields = new Map<string, string | string[]>();
  for (let start = 0, count = 0; start <= body.length; ) {
    const next = body.indexOf(AMPERSAND, start);
    const end = next === -1 ? body.length : next;
    const pair = body.subarray(start, end);
    start = end + 1;
    if (pair.length === 0) continue;
    count += 1;
    if (count > MAX_FORM_FIELDS) return rejectForm(`the form has more than ${MAX_FORM_FIELDS} fields`);
    const rejected = addPair(fields, pair, signedFields);
    if (rejected !== null) return rejected;
  }
  return jsonField === null ? { ok: true, json: Buffer.from(toJson(fields)) } : readJsonField(fields, jsonField);
}

/** @param signed the only fields that the signature covers; `null` if it covers the whole body */
function addPair(
  fields: Map<string, string | string[]>,
  pair: Buffer,
  signed: readonly string[] | null,
): RejectedBody | null {
  const at = pair.indexOf(EQUALS);
  // The verifier of a signed field skips such a pair too.
  if (at === -1 && signed !== null) return null;
  const parts = [pair.subarray(0, at === -1 ? pair.length : at), at === -1 ? NOTHING : pair.subarray(at + 1)];
  const texts: string[] = [];
  for (const part of parts) {
    const { decoded, isValid } = decodeFormBytes(part);
    if (!isValid) return rejectForm('the form has an invalid percent-encoding');
    if (!isUtf8(decoded)) return { ok: false, reason: 'invalid_utf8', detail: 'a field of the form' };
    texts.push(decoded.toString('utf8'));
  }
  const [name, value] = texts as [string, string];
  if (signed === null || signed.includes(name)) addField(fields, name, value);
  return null;
}

const NOTHING = Buffer.alloc(0);

function addField(fields: Map<string, string | string[]>, name: string, value: string): void {
  const earlier = fields.get(name);
  if (Array.isArray(earlier)) earlier.push(value);
  else fields.set(name, earlier === undefined ? value : [earlier, value]);
}

function readJsonField(fields: ReadonlyMap<string, string | string[]>, name: string): ReadForm {
  const value = fields.get(name);
  if (typeof value === 'string') return { ok: true, json: Buffer.from(value) };
  const problem = value === undefined ? 'is missing' : 'occurs more than once';
  return { ok: false, reason: 'missing_form_field', detail: `the field ${JSON.stringify(name)} ${problem}` };
}

function toJson(fields: ReadonlyMap<string, string | string[]>): string {
  const json = fields.size === 1 ? fields.get(JSON_FIELD) : undefined;
  if (typeof json === 'string' && /^[ \t\r\n]*[{[]/.test(json)) return json;
  // `fromEntries` defines keys, so that `__proto__` is one as any other.
  return JSON.stringify(Object.fromEntries(fields));
}

function rejectForm(detail: string): RejectedBody {
  return { ok: false, reason: 'invalid_form', detail };
}

/** The `Content-Type` alone says what the sender intended, not what it posts. */
function rejectType(body: Buffer): RejectedBody {
  if (readJsonBody(body, null).ok) return { ok: false, reason: 'body_is_json', detail: null };
  const detail = 'the Content-Type is not application/x-www-form-urlencoded';
  return { ok: false, reason: 'unexpected_content_type', detail };
}
