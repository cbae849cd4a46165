import type { TreeEntry } from '../../core/source-tree.ts';

/** Two names in a tree that differ only in case or in how letters are composed. Some file systems treat them as one name. */
export interface NameCollision {
  /** The first entry at or below the later name. */
  entry: TreeEntry;
  /** Path of the later name. */
  name: string;
  /** Path of the earlier one. */
  earlier: string;
}

/** Finds each pair once, among files and folders alike (threat model G2). `entries` are in the order of their paths. */
export function findNameCollisions(entries: readonly TreeEntry[]): NameCollision[] {
  const collisions: NameCollision[] = [];
  const namesByFold = new Map<string, { seen: Set<string>; last: string }>();
  for (const entry of entries) {
    for (const name of listNames(entry.path)) {
      const lastSlash = name.lastIndexOf('/') + 1;
      // Only within one folder: otherwise everything below two colliding folders would collide.
      const fold = name.slice(0, lastSlash) + foldCase(name.slice(lastSlash));
      const names = namesByFold.get(fold);
      if (names === undefined) namesByFold.set(fold, { seen: new Set([name]), last: name });
      else if (!names.seen.has(name)) {
        collisions.push({ entry, name, earlier: names.last });
        names.seen.add(name);
        names.last = name;
      }
    }
  }
  return collisions;
}

/** `a`, `a/b`, `a/b/c` of `a/b/c`. */
function listNames(path: string): string[] {
  const segments = path.split('/');
  return segments.map((_, i) => segments.slice(0, i + 1).join('/'));
}

function foldCase(name: string): string {
  return name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');
}
