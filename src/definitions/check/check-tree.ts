import type { Diagnostic } from '../../core/diagnostic.ts';
import type { SourceTree, UnusableEntry } from '../../core/source-tree.ts';
import { FILE_START } from '../../yaml/positions.ts';
import { toDiagnostic } from '../file-diagnostics.ts';
import type { SortedEntries } from '../read/sort-entries.ts';

/** Maximum number of listed names that cannot be used; one more diagnostic counts the others. */
const MAX_UNUSABLE_LISTED = 100;

/** Rules about the tree as a whole. */
export function checkTree(tree: SourceTree, sorted: SortedEntries, webhooksPerFactory: number): Diagnostic[] {
  const unusable = (tree.unusable ?? []).filter(({ isIgnored }) => isIgnored !== true);
  if (!sorted.isFactory && unusable.length === 0) return [describeNoFactory(tree)];
  return [...describeUnusable(unusable), ...checkWebhookCount(tree, sorted, webhooksPerFactory)];
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
