import { createHash } from 'node:crypto';
import { isJsonObject, type Json } from '../json.ts';

/** Longer keys are stored as their hash. */
const MAX_KEY_LENGTH = 200;

/** A key of these values, as a JSON list. A long one is a hash. */
export function composeKey(values: readonly Json[]): string {
  const key = JSON.stringify(values);
  return key.length <= MAX_KEY_LENGTH ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

/**
 * The concurrency key of a run: the values at these paths of the payload, as a JSON list. A value that is absent, an object
 * or a list counts as `null`.
 */
export function composeRunKey(paths: readonly (readonly string[])[], payload: unknown): string {
  return composeKey(paths.map((path) => readScalar(payload, path)));
}

function readScalar(payload: unknown, path: readonly string[]): Json {
  let value = payload as Json | undefined;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return null;
    value = value[name];
  }
  return value === undefined || typeof value === 'object' ? null : value;
}
