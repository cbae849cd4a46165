import type { TreeEntry } from '../../domain/definitions/source-tree.ts';

/** Two names in a tree that differ only in case or in how letters are composed. Some file systems treat them as one name. */
interface NameCollision {
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
  const lastByFold = new Map<string, string>();
  const colliding = new Set<string>();
  let previous = '';
  for (const entry of entries) {
    for (const name of listNewNames(entry.path, previous)) {
      const fold = foldName(name);
      const earlier = lastByFold.get(fold);
      if (earlier === name || colliding.has(name)) continue;
      lastByFold.set(fold, name);
      if (earlier === undefined) continue;
      collisions.push({ entry, name, earlier });
      colliding.add(earlier).add(name);
    }
    previous = entry.path;
  }
  return collisions;
}

/** `a`, `a/b`, `a/b/c` of `a/b/c`, without the folders of the previous path. */
function listNewNames(path: string, previous: string): string[] {
  const names: string[] = [];
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    if (!previous.startsWith(path.slice(0, slash + 1))) names.push(path.slice(0, slash));
  }
  names.push(path);
  return names;
}

// Most names: nothing to fold.
const FOLDED = /^[^A-Z\x80-\uffff]*$/;

/** Only the last segment: otherwise everything below two colliding folders would collide. */
function foldName(name: string): string {
  if (FOLDED.test(name)) return name;
  const lastSlash = name.lastIndexOf('/') + 1;
  return name.slice(0, lastSlash) + foldCase(name.slice(lastSlash));
}

/** Names with equal results are one name on some file systems. */
export function foldCase(name: string): string {
  return name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');
}
