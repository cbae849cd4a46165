import type { WebhookUid } from '../../domain/ids.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { StoredPayloads } from '../../domain/ports/delivery-log.ts';
import { PATTERN_LIMITS, type Scalar } from './pattern.ts';
import { readRecentPayloads } from './recent-payloads.ts';

/** A key of payloads, as a filter nests it. */
export interface CollectedKey {
  path: readonly string[];
  /** Number of payloads that have the key. */
  payloads: number;
  /** Kinds of its values: `string`, `number`, `boolean`, `null`, `object`. */
  types: string[];
  /** Different values, the first ones found. */
  examples: Scalar[];
}

const MAX_KEYS = 500;
const MAX_EXAMPLES = 5;
/** Longer texts are rarely listed in filters. */
const MAX_TEXT = 100;
/** Maximum number of elements of one array that are read. */
const MAX_ELEMENTS = 50;
const MAX_KEY_LENGTH = 200;

/**
 * Collects the keys of payloads for the completion of filters. Reads what a filter can test: objects and the objects of an
 * array, but not arrays inside arrays, and not deeper than a filter may be. Collects at most 500 keys.
 */
export class KeyCollection {
  readonly #keys = new Map<string, CollectedKey>();

  add(payload: unknown): void {
    const seen = new Set<string>();
    this.#walk(payload, [], seen);
    for (const id of seen) this.#keys.get(id)!.payloads += 1;
  }

  /** Sorted by number of payloads, then by name. */
  list(): CollectedKey[] {
    const name = ({ path }: CollectedKey) => path.join('\0');
    return [...this.#keys.values()].sort((a, b) => b.payloads - a.payloads || (name(a) < name(b) ? -1 : 1));
  }

  #walk(value: unknown, path: readonly string[], seen: Set<string>): void {
    const objects = Array.isArray(value) ? value.slice(0, MAX_ELEMENTS) : [value];
    for (const one of objects) {
      if (!isJsonObject(one)) continue;
      for (const [key, child] of Object.entries(one)) {
        if (key.length <= MAX_KEY_LENGTH) this.#note(child, [...path, key], seen);
      }
    }
  }

  #note(value: unknown, path: readonly string[], seen: Set<string>): void {
    const id = JSON.stringify(path);
    const known = this.#keys.get(id);
    if (known === undefined && this.#keys.size >= MAX_KEYS) return;
    const entry = known ?? { path, payloads: 0, types: [], examples: [] };
    this.#keys.set(id, entry);
    seen.add(id);
    for (const one of Array.isArray(value) ? value.slice(0, MAX_ELEMENTS) : [value]) noteValue(entry, one);
    if (path.length < PATTERN_LIMITS.maxLevels) this.#walk(value, path, seen);
  }
}

function noteValue({ types, examples }: CollectedKey, value: unknown): void {
  if (Array.isArray(value)) return;
  const type = value === null ? 'null' : typeof value;
  if (!types.includes(type)) types.push(type);
  if (type === 'object' || examples.length >= MAX_EXAMPLES || examples.includes(value as Scalar)) return;
  if (typeof value !== 'string' || value.length <= MAX_TEXT) examples.push(value as Scalar);
}

/** The keys of the most recent stored payloads of a webhook. */
export async function collectPayloadKeys(
  payloads: StoredPayloads,
  webhook: WebhookUid,
): Promise<{ examined: number; keys: CollectedKey[] }> {
  const collection = new KeyCollection();
  const examined = await readRecentPayloads(payloads, webhook, (payload) => collection.add(payload));
  return { examined, keys: collection.list() };
}
