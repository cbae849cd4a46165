import type { PayloadField } from './complete-filter.ts';

/** As deep as a filter may go. */
const MAX_LEVELS = 10;
const MAX_FIELDS = 1_000;
const MAX_VALUES = 20;
/** A longer text is prose, and nothing that a filter lists. */
const MAX_TEXT_LENGTH = 100;

type Scalar = PayloadField['values'][number];

interface Sighting {
  path: string[];
  counts: Map<Scalar, number>;
}

/** The fields of some payloads, as a filter reaches them: keys only, with lists looked through. */
export function collectFields(payloads: readonly unknown[]): PayloadField[] {
  const sightings = new Map<string, Sighting>();
  for (const payload of payloads) collect(sightings, payload, []);
  return [...sightings.values()].map(({ path, counts }) => ({ path, values: sortByCount(counts) }));
}

function collect(sightings: Map<string, Sighting>, value: unknown, path: string[]): void {
  if (Array.isArray(value)) {
    // A list inside of a list is not entered by filters.
    for (const element of value) if (!Array.isArray(element)) collect(sightings, element, path);
  } else if (typeof value === 'object' && value !== null) {
    if (path.length >= MAX_LEVELS) return;
    for (const [key, inner] of Object.entries(value)) {
      note(sightings, [...path, key]);
      collect(sightings, inner, [...path, key]);
    }
  } else if (path.length > 0) {
    count(sightings, value as Scalar, path);
  }
}

function note(sightings: Map<string, Sighting>, path: string[]): void {
  const id = JSON.stringify(path);
  if (sightings.has(id) || sightings.size >= MAX_FIELDS) return;
  sightings.set(id, { path, counts: new Map() });
}

function count(sightings: Map<string, Sighting>, value: Scalar, path: string[]): void {
  const counts = sightings.get(JSON.stringify(path))?.counts;
  const isTooLong = typeof value === 'string' && value.length > MAX_TEXT_LENGTH;
  if (counts !== undefined && !isTooLong) counts.set(value, (counts.get(value) ?? 0) + 1);
}

function sortByCount(counts: Map<Scalar, number>): Scalar[] {
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_VALUES)
    .map(([value]) => value);
}
