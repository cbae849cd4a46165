/** The count since the last scrape. A plain number, because each `inc` of a counter creates a text and an object. */
export interface Tally {
  pending: number;
}

export function takePending(tally: Tally): number {
  const { pending } = tally;
  tally.pending = 0;
  return pending;
}

export function addToTally<Key>(tallies: Map<Key, Tally>, key: Key, count: number): void {
  findOrAdd(tallies, key, () => ({ pending: 0 })).pending += count;
}

export function findOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const created = create();
  map.set(key, created);
  return created;
}
