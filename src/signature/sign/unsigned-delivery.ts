import { AppError } from '../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { JsonPath } from '../scheme.ts';

/** A delivery to be signed as its provider would. `nowMs` is wall time in milliseconds. */
export interface UnsignedDelivery {
  /** The URL as the sender knows it. */
  url: string;
  body: Uint8Array;
  nowMs: number;
  /** For the scheme's identity; `null` lets `newId` name the delivery, where the scheme names one. */
  deliveryId: string | null;
  newId: () => string;
}

/** The body as a JSON object; throws `bad_request` where it is something else. */
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
    'Senders of this scheme put their proof into the body, so it must be a JSON object.',
  );
}

/** The body, printed anew, with a value at a path; whatever stood there or was in the way is replaced. */
export function putJson(body: Uint8Array, path: JsonPath, value: Json): Uint8Array {
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

/** A form with the body in one field. */
export function wrapInForm(field: string, body: Uint8Array): Uint8Array {
  return Buffer.from(new URLSearchParams({ [field]: Buffer.from(body).toString('utf8') }).toString());
}
