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

/** The decoded value of a field of a form body, as header values are; `undefined` where it is absent or there twice. */
export function readFormField(body: Uint8Array, name: string): string | undefined {
  const values = new URLSearchParams(Buffer.from(body).toString('utf8')).getAll(name);
  return values.length === 1 ? toWireText(values[0]!) : undefined;
}
