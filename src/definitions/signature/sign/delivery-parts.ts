import { AppError } from '../../../domain/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../domain/json.ts';
import type { BodyPath } from '../scheme.ts';

/** The body as a JSON object; throws `bad_request` for any other body. */
export function parseObject(body: Uint8Array): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    value = undefined;
  }
  if (isJsonObject(value)) return value;
  throw new AppError(
    'bad_request',
    'The body must be a JSON object, because it contains the signature or the delivery ID.',
  );
}

/** The body with a value at a path, serialized again. Existing values on the path are replaced. */
export function putJson(body: Uint8Array, path: BodyPath, value: Json): Uint8Array {
  const root = parseObject(body);
  let at = root;
  for (const key of path.slice(0, -1)) {
    const next = Object.hasOwn(at, key) ? at[key] : undefined;
    const child: JsonObject = isJsonObject(next) ? next : {};
    at[key] = child;
    at = child;
  }
  at[path.at(-1)!] = value;
  return Buffer.from(JSON.stringify(root));
}

/** A form with the body as one field. */
export function wrapInForm(field: string, body: Uint8Array): Uint8Array {
  return Buffer.from(new URLSearchParams({ [field]: Buffer.from(body).toString('utf8') }).toString());
}

/**
 * A text as the value of a header that we send: its UTF-8 bytes, one character each. Header values are written in this
 * form, and `RequestHeaders` returns them in it. Throws `bad_request` for control characters.
 */
export function encodeHeaderValue(name: string, text: string): string {
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(text)) {
    throw new AppError('bad_request', `The value for the header ${name} contains a control character; remove it.`);
  }
  return Buffer.from(text, 'utf8').toString('latin1');
}
