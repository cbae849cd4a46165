import type { Position } from '../../domain/definitions/diagnostic.ts';
import type { Json } from '../../domain/json.ts';
import type { KeyPath } from './key-path.ts';
import type { YamlText } from './parse-yaml.ts';
import { createPositions, FILE_START } from './positions.ts';
import { scanJson } from './scan-json.ts';

type ParsedJson = { ok: true; json: YamlText } | { ok: false; at: Position; message: string };

/**
 * Parses a JSON text (RFC 8259), or returns the position of the first error. Linear in the length of the text, for any
 * nesting and any number of located values.
 */
export function parseJson(text: string): ParsedJson {
  try {
    const value = JSON.parse(text) as Json;
    return { ok: true, json: { value, locate: createLocator(text) } };
  } catch {
    const fault = scanJson(text);
    const at = fault === null ? FILE_START : createPositions(text)(fault.offset);
    return { ok: false, at, message: fault?.message ?? 'The text cannot be read.' };
  }
}

interface Offsets {
  key: number;
  value: number;
}

/** Problems concern keys, values and their direct entries. Deeper values get the position of the value around them. */
const MAX_LOCATED_DEPTH = 2;

function createLocator(text: string): YamlText['locate'] {
  let known: { places: Map<string, Offsets>; toPosition: (offset: number) => Position } | null = null;
  return (path) => {
    known ??= { places: listPlaces(text), toPosition: createPositions(text) };
    const { places, toPosition } = known;
    const { key, value } = findInnermost(places, path);
    return { key: toPosition(key), value: toPosition(value) };
  };
}

/** If a key is written twice, the last one counts, as in `JSON.parse`. It overwrites the entries of the first. */
function listPlaces(text: string): Map<string, Offsets> {
  const places = new Map<string, Offsets>();
  const path: (string | number)[] = [];
  scanJson(text, ({ depth, step, keyOffset, valueOffset }) => {
    if (depth > MAX_LOCATED_DEPTH) return;
    if (step !== null) path.splice(depth - 1, MAX_LOCATED_DEPTH, step);
    places.set(nameOf(path.slice(0, depth)), { key: keyOffset, value: valueOffset });
  });
  return places;
}

function nameOf(path: KeyPath): string {
  return JSON.stringify(path);
}

function findInnermost(places: ReadonlyMap<string, Offsets>, path: KeyPath): Offsets {
  for (let length = Math.min(path.length, MAX_LOCATED_DEPTH); length > 0; length--) {
    const found = places.get(nameOf(path.slice(0, length)));
    if (found !== undefined) return found;
  }
  return places.get('[]') ?? { key: 0, value: 0 };
}
