import type { Counts } from '../../domain/ports/replicas.ts';

/** PostgreSQL rejects messages of 8,000 bytes. A key has at most 80 bytes. */
export const KEYS_PER_MESSAGE = 80;

export function addCount(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** Divides counts into parts that fit into a message. */
export function splitCounts(counts: ReadonlyMap<string, number>): Counts[] {
  const all = [...counts];
  const parts: Counts[] = [];
  for (let start = 0; start < all.length; start += KEYS_PER_MESSAGE)
    parts.push(all.slice(start, start + KEYS_PER_MESSAGE));
  return parts;
}
