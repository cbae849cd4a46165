import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../src/domain/json.ts';

const FOLDER = new URL('../vectors/provider-events/', import.meta.url);

/** A request of a provider, without its credential. */
export interface ProviderDelivery {
  name: string;
  /** Those that say what the delivery is. */
  headers: { [name: string]: string };
  body: JsonObject;
}

/** The values that a key of a filter finds, or why it finds none. */
export type ExpectedValues =
  | string
  | readonly (string | number)[]
  | { in: readonly string[]; not_in: readonly string[] };

/** What one payload must match. The fields are in the README of the folder. */
export interface ExpectedDelivery {
  payload: string;
  change?: JsonObject;
  triggers: { [event: string]: { [key: string]: ExpectedValues } };
  context?: JsonObject;
}

export function readProviderDeliveries(provider: string): ProviderDelivery[] {
  const lines = readFileSync(new URL(`${provider}.jsonl`, FOLDER), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as ProviderDelivery);
}

export function readExpectedDeliveries(provider: string): ExpectedDelivery[] {
  return parse(readFileSync(new URL(`${provider}.expected.yaml`, FOLDER), 'utf8'), {
    merge: true,
  }) as ExpectedDelivery[];
}

/** A delivery of `readProviderDeliveries`, by its name. */
export function findProviderDelivery(provider: string, name: string): ProviderDelivery {
  const found = readProviderDeliveries(provider).find((one) => one.name === name);
  if (found === undefined) throw new Error(`${provider}.jsonl has no payload ${JSON.stringify(name)}`);
  return found;
}

/** A JSON Merge Patch (RFC 7386), in which `null` also removes a key. */
export function mergePatch(body: Json, patch: Json): Json {
  if (!isMap(patch)) return patch;
  const merged: JsonObject = { ...(isMap(body) ? body : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key] ?? null, value);
  }
  return merged;
}

function isMap(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
