import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import type { SourceTree, UnusableEntry } from '../../domain/definitions/source-tree.ts';
import { findNearMiss } from '../../domain/suggest.ts';
import { toDiagnostic } from '../file-diagnostics.ts';
import type { SortedEntries } from '../read/sort-entries.ts';
import { FILE_START } from '../yaml/positions.ts';

/** Maximum number of listed names that cannot be used; one more diagnostic counts the others. */
const MAX_UNUSABLE_LISTED = 100;

/** Rules about the tree as a whole. */
export function checkTree(tree: SourceTree, sorted: SortedEntries, webhooksPerFactory: number): Diagnostic[] {
  const unusable = (tree.unusable ?? []).filter(({ isIgnored }) => isIgnored !== true);
  if (!sorted.isFactory && unusable.length === 0) return [describeNoFactory(tree), ...findSimilarFolders(tree)];
  return [
    ...describeUnusable(unusable),
    ...findSimilarFolders(tree),
    ...checkWebhookCount(tree, sorted, webhooksPerFactory),
  ];
}

const FOLDERS = ['webhooks', 'automations'] as const;

/** Folders with almost the name of a folder that does not exist. They can also be those of another tool. */
function findSimilarFolders({ prefix, entries, otherFolders = [] }: SourceTree): Diagnostic[] {
  const missing = FOLDERS.filter((folder) => !entries.some(({ path }) => path.startsWith(`${folder}/`)));
  return otherFolders.flatMap((name) => {
    const meant = findNearMiss(name, missing);
    // Another rule reports names in the wrong case.
    if (meant === null || meant === name.toLowerCase()) return [];
    const message = `The folder ${name}/ is ignored. The folder of the definition is ${meant}/, which does not exist.`;
    const hint = `If the folder contains ${meant}, rename it to ${meant}/.`;
    return toDiagnostic(`${prefix}${name}`, { rule: 'tree/similar-folder', at: FILE_START, path: [], message, hint });
  });
}

function describeUnusable(unusable: readonly UnusableEntry[]): Diagnostic[] {
  const listed = unusable.slice(0, MAX_UNUSABLE_LISTED);
  const next = unusable[listed.length];
  const left = `${unusable.length - listed.length} more names cannot be used. This is the first of them.`;
  return [...listed, ...(next === undefined ? [] : [{ file: next.file, message: left }])].map(({ file, message }) =>
    toDiagnostic(file, { ...UNSUPPORTED_NAME, at: FILE_START, path: [], message }),
  );
}

export const UNSUPPORTED_NAME = {
  rule: 'tree/odd-name',
  hint: 'Rename or remove the entry, and commit the change.',
} as const;

function checkWebhookCount(tree: SourceTree, sorted: SortedEntries, webhooksPerFactory: number): Diagnostic[] {
  const over = sorted.webhooks[webhooksPerFactory];
  if (over === undefined) return [];
  const message = `The factory declares ${sorted.webhooks.length} webhooks. The limit is ${webhooksPerFactory}, including disabled webhooks.`;
  const hint = 'Remove unused webhooks, or move some to another factory.';
  const finding = { rule: 'webhook/too-many', at: FILE_START, path: [], message, hint } as const;
  return [toDiagnostic(tree.prefix + over.entry.path, finding)];
}

function describeNoFactory(tree: SourceTree): Diagnostic {
  const place = tree.prefix === '' ? 'at the root of the tree' : `in ${tree.prefix}`;
  const message = `No factory definition found: factory.yaml, webhooks/ and automations/ do not exist ${place}.`;
  const hint = 'Check the configured path and branch, or run "dockbell init" to create a factory.';
  return toDiagnostic('', { rule: 'factory/not-found', at: FILE_START, path: [], message, hint });
}
