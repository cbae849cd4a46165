import type { FactoryDefinition } from '../../core/definition.ts';
import { compareDiagnostics, type Diagnostic, hasErrors } from '../../core/diagnostic.ts';
import { applyLint, type LintSettings } from '../../core/rules.ts';
import type { SourceTree, TreeEntry } from '../../core/source-tree.ts';
import { FileDiagnostics } from '../file-diagnostics.ts';
import type { FileResult } from '../read/file-result.ts';
import { listFiles, type NamedFile, type SortedEntries } from '../read/sort-entries.ts';
import { type CheckedAutomation, createReferenceCheck, type References } from './check-references.ts';
import { checkSameTriggers } from './check-same-triggers.ts';
import { createSampleCheck } from './check-samples.ts';
import { checkTree } from './check-tree.ts';
import { type CheckedWebhook, checkUnusedWebhooks } from './check-unused-webhooks.ts';

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

/** A tree whose files were read. */
export interface ReadTree {
  tree: SourceTree;
  sorted: SortedEntries;
  /** The result of each file of `sorted`, by its path. */
  results: ReadonlyMap<string, FileResult>;
}

/**
 * The rules across files, on the results of reading the files. Linear in the number of files. The definition consists of the
 * objects in the results.
 */
export function checkDefinition(read: ReadTree, context: ValidationContext): ValidatedTree {
  const { tree, sorted } = read;
  const { lint, diagnostics: ofFactory } = openFactory(read);
  const webhooks = sorted.webhooks.map((file) => openWebhook(read, file, lint));
  const automations = sorted.automations.map((file) => openAutomation(read, file, lint));
  const references = collectReferences(sorted, webhooks, context);
  automations.forEach(createReferenceCheck(references));
  checkSameTriggers(automations, references);
  checkUnusedWebhooks(webhooks, automations, references);
  const declared = listDeclared(sorted);
  const found = [
    ...sorted.diagnostics,
    ...checkTree(tree, sorted, context.webhooksPerFactory),
    ...[ofFactory, ...webhooks.map(toDiagnostics), ...automations.map(toDiagnostics)].flat(),
    ...checkSamples(read, references, declared.automations),
  ];
  // Those of the tree, of samples and of `factory.yaml` itself were made at their default severity.
  const diagnostics = applyLint(found, lint).sort(compareDiagnostics);
  const definition = hasErrors(diagnostics) ? null : toDefinition(lint, webhooks, automations);
  return { diagnostics, definition, declared, files: listFiles(sorted).map(({ entry }) => tree.prefix + entry.path) };
}

function resultOf<Kind extends FileResult['kind']>(
  { results }: ReadTree,
  { kind, entry }: { kind: Kind; entry: TreeEntry },
): Extract<FileResult, { kind: Kind }> {
  const result = results.get(entry.path);
  if (result?.kind !== kind) throw new Error(`${entry.path} was not read as the file of a ${kind}`);
  return result as Extract<FileResult, { kind: Kind }>;
}

function openFactory(read: ReadTree): { lint: LintSettings; diagnostics: Diagnostic[] } {
  const { factory } = read.sorted;
  if (factory === null) return { lint: {}, diagnostics: [] };
  const { findings, lint } = resultOf(read, factory);
  const diagnostics = new FileDiagnostics(read.tree.prefix + factory.entry.path, {});
  diagnostics.addFindings(findings);
  return { lint, diagnostics: diagnostics.toDiagnostics() };
}

function openWebhook(read: ReadTree, file: NamedFile<'webhook'>, lint: LintSettings): CheckedWebhook {
  const { findings, signatureFindings, lintFindings, definition } = resultOf(read, file);
  const diagnostics = new FileDiagnostics(read.tree.prefix + file.entry.path, lint);
  diagnostics.addFindings(findings);
  if (!diagnostics.hasErrors()) diagnostics.addFindings(signatureFindings);
  if (diagnostics.hasErrors()) return { definition: null, diagnostics };
  diagnostics.addFindings(lintFindings);
  return { definition, diagnostics };
}

function openAutomation(read: ReadTree, file: NamedFile<'automation'>, lint: LintSettings): CheckedAutomation {
  const { findings, definition, links } = resultOf(read, file);
  const diagnostics = new FileDiagnostics(read.tree.prefix + file.entry.path, lint);
  diagnostics.addFindings(findings);
  return { definition: diagnostics.hasErrors() ? null : definition, links, diagnostics };
}

function checkSamples(read: ReadTree, webhooks: References, automations: readonly string[]): Diagnostic[] {
  const check = createSampleCheck(read.tree.prefix, { webhooks, automations });
  return read.sorted.samples.flatMap((file) => check(file.webhook, resultOf(read, file)).diagnostics);
}

function toDiagnostics({ diagnostics }: { diagnostics: FileDiagnostics }): Diagnostic[] {
  return diagnostics.toDiagnostics();
}

function collectReferences(
  { webhooks: files }: SortedEntries,
  webhooks: readonly CheckedWebhook[],
  { knownUids }: ValidationContext,
): References {
  return {
    declared: new Set(files.map(({ name }) => name)),
    webhooks: new Map(listDefinitions(webhooks).map((definition) => [definition.name, definition])),
    knownUids,
    namesByUid: new Map([...knownUids].map(([name, uid]) => [uid, name])),
  };
}

function toDefinition(
  lint: LintSettings,
  webhooks: readonly CheckedWebhook[],
  automations: readonly CheckedAutomation[],
): FactoryDefinition {
  return { lint, webhooks: listDefinitions(webhooks), automations: listDefinitions(automations) };
}

function listDefinitions<Definition>(checked: readonly { definition: Definition | null }[]): Definition[] {
  return checked.flatMap(({ definition }) => (definition === null ? [] : [definition]));
}

function listDeclared({ webhooks, automations }: SortedEntries): ValidatedTree['declared'] {
  return { webhooks: webhooks.map(({ name }) => name), automations: automations.map(({ name }) => name) };
}
