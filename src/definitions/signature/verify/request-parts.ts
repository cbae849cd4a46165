import { readPath } from '../../../domain/json.ts';
import type { RequestPlace } from '../scheme.ts';
import type { SignedRequest } from '../verification.ts';

/** A text of a JSON body or a URL in the form of header values: its UTF-8 bytes, one character each. */
export function toWireText(text: string): string {
  return /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** The media type of forms. */
export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The text at a location, in the form of header values; `undefined` if no text is there. */
export function readPlace(request: SignedRequest, place: RequestPlace): string | undefined {
  if (place.in === 'header') return request.headers.get(place.name);
  const value = readPath(request.json([place.path]), place.path);
  return typeof value === 'string' ? toWireText(value) : undefined;
}

/**
 * The decoded value of a field of a form body, in the form of header values; `undefined` if the field is missing or
 * repeated. Bytes are decoded one by one: a regular expression over a text takes several times as long.
 */
export function readFormField(body: Uint8Array, name: string): string | undefined {
  const wanted = toWireText(name);
  let found: string | undefined;
  for (let start = 0; start <= body.length; ) {
    const next = body.indexOf(AMPERSAND, start);
    const end = next === -1 ? body.length : next;
    const pair = body.subarray(start, end);
    start = end + 1;
    const at = pair.indexOf(EQUALS);
    if (at === -1 || decodeFormText(pair.subarray(0, at)) !== wanted) continue;
    if (found !== undefined) return undefined;
    found = decodeFormText(pair.subarray(at + 1));
  }
  return found;
}

const [PLUS, PERCENT, AMPERSAND, EQUALS, SPACE] = [0x2b, 0x25, 0x26, 0x3d, 0x20];

function decodeFormText(bytes: Uint8Array): string {
  return decodeFormBytes(bytes).decoded.toString('latin1');
}

/** The bytes that a name or a value of a form stands for. An invalid percent-encoding stands for itself. */
export function decodeFormBytes(bytes: Uint8Array): { decoded: Buffer; isValid: boolean } {
  const decoded = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  let isValid = true;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    const escaped = byte === PERCENT ? readHexPair(bytes, at + 1) : -1;
    if (escaped >= 0) at += 2;
    else if (byte === PERCENT) isValid = false;
    decoded[length++] = escaped >= 0 ? escaped : byte === PLUS ? SPACE : byte;
  }
  return { decoded: decoded.subarray(0, length), isValid };
}

/** The byte that two hexadecimal digits stand for; -1 if they are not. */
function readHexPair(bytes: Uint8Array, at: number): number {
  const [high, low] = [HEX_VALUES[bytes[at] ?? 0]!, HEX_VALUES[bytes[at + 1] ?? 0]!];
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

const HEX_VALUES = Int8Array.from({ length: 256 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? -1 : value;
});
