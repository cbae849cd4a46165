import type { SourceTree, TreeEntry } from '../../domain/definitions/source-tree.ts';

/** The trees of the commits that a merge combines. */
interface MergedFrom {
  head: SourceTree;
  /** Files that `head` has too may come without bytes. */
  production: SourceTree;
  /** Where the head left production; `null` if that is not known. */
  base: SourceTree | null;
}

interface MergedTree {
  /** Does the head change anything that the factory reads? */
  isTouched: boolean;
  /** What production would contain after the merge. Without a base: the tree of the head. */
  tree: SourceTree;
  /** Paths that both sides changed differently. The tree has those of the head. */
  conflicts: string[];
}

/**
 * Combines whole files as git does: a file that the head did not change is that of production. The lines of a file that both
 * sides changed are not combined.
 */
export function mergeTrees({ head, production, base }: MergedFrom): MergedTree {
  const [ours, theirs] = [byPath(production), byPath(head)];
  const hasOtherNames = JSON.stringify(head.unusable ?? []) !== JSON.stringify((base ?? production).unusable ?? []);
  if (base === null) return { isTouched: hasOtherNames || differ(ours, theirs), tree: head, conflicts: [] };
  const before = byPath(base);
  const entries: TreeEntry[] = [];
  const conflicts: string[] = [];
  let isTouched = hasOtherNames;
  for (const path of new Set([...theirs.keys(), ...ours.keys(), ...before.keys()])) {
    const [old, changed, live] = [before.get(path), theirs.get(path), ours.get(path)];
    const isChanged = !isSame(old, changed);
    isTouched ||= isChanged;
    if (isChanged && !isSame(old, live) && !isSame(changed, live)) conflicts.push(path);
    // The bytes of a file that both have are in the head only.
    const merged = isChanged || isSame(changed, live) ? changed : live;
    if (merged !== undefined) entries.push(merged);
  }
  return { isTouched, tree: { ...head, entries }, conflicts };
}

function byPath({ entries }: SourceTree): Map<string, TreeEntry> {
  return new Map(entries.map((entry) => [entry.path, entry]));
}

function differ(one: ReadonlyMap<string, TreeEntry>, other: ReadonlyMap<string, TreeEntry>): boolean {
  return one.size !== other.size || [...one].some(([path, entry]) => !isSame(entry, other.get(path)));
}

function isSame(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
  return one?.digest === other?.digest && one?.kind === other?.kind;
}
