import { isJsonObject } from '../core/json.ts';
import type { JsonPath, Place } from './scheme.ts';
import type { SignedRequest } from './verification.ts';

/** A text of a JSON body or a URL as header values are: its UTF-8 bytes, one character each. */
export function toWireText(text: string): string {
  return /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** The text at a place, as header values are; `undefined` where there is none or something else than a text. */
export function readPlace(request: SignedRequest, place: Place): string | undefined {
  if (place.in === 'header') return request.headers.get(place.name);
  const value = readJson(request.json(), place.path);
  return typeof value === 'string' ? toWireText(value) : undefined;
}

/** The value at a path of own keys; `undefined` where the path leaves the objects. */
export function readJson(root: unknown, path: JsonPath): unknown {
  let value = root;
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** The decoded value of a field of a form body, byte by byte; `undefined` where it is absent or there twice. */
export function readFormField(body: Uint8Array, name: string): string | undefined {
  const pairs = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1').split('&');
  const wanted = toWireText(name);
  let found: string | undefined;
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at === -1 || decodeFormText(pair.slice(0, at)) !== wanted) continue;
    if (found !== undefined) return undefined;
    found = decodeFormText(pair.slice(at + 1));
  }
  return found;
}

function decodeFormText(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
