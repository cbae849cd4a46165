import type { FactoryDefinition } from '../core/definition.ts';
import { compareDiagnostics, type Diagnostic, hasErrors } from '../core/diagnostic.ts';
import { applyLint, type LintSettings } from '../core/rules.ts';
import type { SourceTree, TreeEntry, UnusableEntry } from '../core/source-tree.ts';
import { FILE_START } from '../yaml/positions.ts';
import { type CheckedAutomation, checkReferences, type References } from './check/check-references.ts';
import { checkSameTriggers } from './check/check-same-triggers.ts';
import { checkSamples } from './check/check-samples.ts';
import { type CheckedWebhook, checkUnusedWebhooks } from './check/check-unused-webhooks.ts';
import { FileDiagnostics, toDiagnostic } from './file-diagnostics.ts';
import { readAutomationFile } from './read/read-automation.ts';
import { readDefinitionText } from './read/read-definition-text.ts';
import { readFactory } from './read/read-factory.ts';
import { readWebhook } from './read/read-webhook.ts';
import { type NamedEntry, type SortedEntries, sortEntries } from './read/sort-entries.ts';

/** The settings of a validation. */
export interface ValidationContext {
  /** Maximum number of webhooks (20 by the specification). */
  webhooksPerFactory: number;
  /** Name → UID of the applied webhooks; empty for an offline validation. */
  knownUids: ReadonlyMap<string, string>;
}

export interface ValidatedTree {
  /** All diagnostics, in the order of `compareDiagnostics`. */
  diagnostics: Diagnostic[];
  /** The definition; `null` if there is an error, because a definition is applied as a whole or not at all. */
  definition: FactoryDefinition | null;
  /** The names that the tree declares, including those of invalid files. */
  declared: { webhooks: string[]; automations: string[] };
  /** The files that were read, samples last, as diagnostics name them. */
  files: string[];
}

/**
 * Bytes → definitions, or all their problems. Never throws, for any bytes.
 *
 * @param onFile called with the path of each file, as in diagnostics, before the file is read
 */
export function validateTree(
  tree: SourceTree,
  context: ValidationContext,
  onFile: (file: string) => void = () => {},
): ValidatedTree {
  const sorted = sortEntries(tree);
  const files: FileDiagnostics[] = [];
  let lint: LintSettings = {};
  const open = (entry: TreeEntry) => {
    onFile(tree.prefix + entry.path);
    const diagnostics = new FileDiagnostics(tree.prefix + entry.path, lint);
    files.push(diagnostics);
    return diagnostics;
  };
  lint = readLint(sorted, open);
  const webhooks = readWebhooks(sorted.webhooks, open);
  const references = collectReferences(sorted.webhooks, webhooks, context);
  const automations = readAutomations(sorted.automations, open);
  for (const automation of automations) checkReferences(automation, references);
  checkSameTriggers(automations, references);
  checkUnusedWebhooks(webhooks, automations, references);
  const declared = listDeclared(sorted);
  const found = [
    ...sorted.diagnostics,
    ...checkTree(tree, sorted, context),
    ...files.flatMap((diagnostics) => diagnostics.toDiagnostics()),
    ...checkSamples(sorted.samples, tree.prefix, { webhooks: references, automations: declared.automations, onFile }),
  ];
  // Those of the tree, of samples and of `factory.yaml` itself were made at their default severity.
  const diagnostics = applyLint(found, lint).sort(compareDiagnostics);
  const definition = hasErrors(diagnostics) ? null : toDefinition(lint, webhooks, automations);
  const sampleFiles = sorted.samples.map(({ entry }) => tree.prefix + entry.path);
  return { diagnostics, definition, declared, files: [...files.map(({ file }) => file), ...sampleFiles] };
}

/** Starts the diagnostics of a file. */
type Open = (entry: TreeEntry) => FileDiagnostics;

function readLint({ factory }: SortedEntries, open: Open): LintSettings {
  if (factory === null) return {};
  const diagnostics = open(factory);
  const text = readDefinitionText(factory, diagnostics);
  return text === null ? {} : readFactory(text, diagnostics).lint;
}

function readWebhooks(named: NamedEntry[], open: Open): CheckedWebhook[] {
  return named.flatMap(({ name, entry }) => {
    const diagnostics = open(entry);
    const text = readDefinitionText(entry, diagnostics);
    const definition = text === null ? null : readWebhook(name, text, diagnostics);
    return definition === null ? [] : [{ definition, diagnostics }];
  });
}

function readAutomations(named: NamedEntry[], open: Open): CheckedAutomation[] {
  return named.map(({ name, entry }) => {
    const diagnostics = open(entry);
    return { ...readAutomationFile(name, entry, diagnostics), diagnostics };
  });
}

function collectReferences(
  named: NamedEntry[],
  webhooks: readonly CheckedWebhook[],
  { knownUids }: ValidationContext,
): References {
  return {
    declared: new Set(named.map(({ name }) => name)),
    webhooks: new Map(webhooks.map(({ definition }) => [definition.name, definition])),
    knownUids,
    namesByUid: new Map([...knownUids].map(([name, uid]) => [uid, name])),
  };
}

function toDefinition(
  lint: LintSettings,
  webhooks: readonly CheckedWebhook[],
  automations: CheckedAutomation[],
): FactoryDefinition {
  const read = automations.flatMap(({ definition }) => (definition === null ? [] : [definition]));
  return { lint, webhooks: webhooks.map(({ definition }) => definition), automations: read };
}

function listDeclared({ webhooks, automations }: SortedEntries): ValidatedTree['declared'] {
  return { webhooks: webhooks.map(({ name }) => name), automations: automations.map(({ name }) => name) };
}

/** Maximum number of listed names that cannot be used; one more diagnostic counts the others. */
const MAX_UNUSABLE_LISTED = 100;

function checkTree(tree: SourceTree, sorted: SortedEntries, context: ValidationContext): Diagnostic[] {
  const { unusable = [] } = tree;
  if (!sorted.isFactory && unusable.length === 0) return [describeNoFactory(tree)];
  return [...describeUnusable(unusable), ...checkWebhookCount(tree, sorted, context)];
}

function describeUnusable(unusable: readonly UnusableEntry[]): Diagnostic[] {
  const listed = unusable.slice(0, MAX_UNUSABLE_LISTED);
  const next = unusable[listed.length];
  const left = `${unusable.length - listed.length} more names cannot be used. This is the first of them.`;
  return [...listed, ...(next === undefined ? [] : [{ file: next.file, message: left }])].map(({ file, message }) =>
    toDiagnostic(file, { ...UNSUPPORTED_NAME, at: FILE_START, path: [], message }),
  );
}

const UNSUPPORTED_NAME = { rule: 'tree/odd-name', hint: 'Rename or remove the entry, and commit the change.' } as const;

function checkWebhookCount(tree: SourceTree, sorted: SortedEntries, context: ValidationContext): Diagnostic[] {
  const over = sorted.webhooks[context.webhooksPerFactory];
  if (over === undefined) return [];
  const message = `The factory declares ${sorted.webhooks.length} webhooks. The limit is ${context.webhooksPerFactory}, including disabled webhooks.`;
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

/** The result for a tree whose validation was aborted while a file was read. */
export function describeSlowTree(file: string, message: string): ValidatedTree {
  const hint =
    'Split the file, or move documents out of it, and commit the change. To retry the same commit, run "dockbell reconcile".';
  const finding = { rule: 'file/too-slow', at: FILE_START, path: [], message, hint } as const;
  const declared = { webhooks: [], automations: [] };
  return { diagnostics: [toDiagnostic(file, finding)], definition: null, declared, files: [file] };
}

/** The diagnostic for a tree that its source rejected: too large, or with names that cannot be displayed or read. */
export function describeRejectedTree(reason: 'TreeOdd' | 'TreeTooLarge', message: string): Diagnostic {
  const finding =
    reason === 'TreeOdd'
      ? UNSUPPORTED_NAME
      : ({ rule: 'tree/too-large', hint: 'Keep only definitions under webhooks/ and automations/.' } as const);
  return toDiagnostic('', { ...finding, at: FILE_START, path: [], message });
}
