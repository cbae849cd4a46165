// The second half of a validation: the rules across files. In: the results of reading all files. Out: a definition or
// diagnostics. A rule is a function in a file of this folder, called below, and a row in `domain/rules.ts` with its severity
// and text.
// Next: `check-references.ts`, a usual rule; `check-served-triggers.ts`, whether deliveries can start an automation.

import type { FactoryDefinition } from '../../domain/definitions/definition.ts';
import { compareDiagnostics, type Diagnostic, hasErrors } from '../../domain/definitions/diagnostic.ts';
import type { SourceTree } from '../../domain/definitions/source-tree.ts';
import { applyLint, type LintSettings } from '../../domain/rules.ts';
import { FileDiagnostics, ListingLimit } from '../file-diagnostics.ts';
import type { AutomationResult, FactoryResult, FileResult, SampleResult, WebhookResult } from '../read/file-result.ts';
import type { SortedEntries } from '../read/sort-entries.ts';
import { checkAgentFiles } from './check-agent-files.ts';
import { listAgentNames } from './check-agent-names.ts';
import { type AutomationsCheck, checkAutomations, listAutomationDiagnostics } from './check-automations.ts';
import type { CheckedAutomation } from './check-references.ts';
import { checkSameProvider } from './check-same-provider.ts';
import { createSampleCheck, type SampleReferences } from './check-samples.ts';
import { checkTree } from './check-tree.ts';
import { type CheckedWebhook, checkUnusedWebhooks } from './check-unused-webhooks.ts';
import type { References } from './references.ts';

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
interface ReadTree {
  tree: SourceTree;
  sorted: SortedEntries;
  /** The result of each file, in the order of `listFiles`. */
  results: readonly FileResult[];
}

/** A validated tree, and what the next check of a similar tree can use. */
export interface CheckedDefinition {
  validated: ValidatedTree;
  automations: AutomationsCheck;
  /** Has the tree more problems than are listed? */
  isLimited: boolean;
}

/**
 * The rules across files, on the results of reading the files. Linear in the number of files. The definition consists of the
 * objects in the results.
 *
 * @param earlier the check of a similar tree: automations that did not change are not checked again
 */
export function checkDefinition(
  read: ReadTree,
  context: ValidationContext,
  earlier: CheckedDefinition | null = null,
): CheckedDefinition {
  // What a file lists depends on all others once the limit is reached.
  const usable = earlier === null || earlier.isLimited ? null : earlier.automations;
  const checked = checkTreeOnce(read, context, usable);
  return checked.isLimited && usable !== null ? checkTreeOnce(read, context, null) : checked;
}

function checkTreeOnce(
  { tree, sorted, results }: ReadTree,
  context: ValidationContext,
  earlier: AutomationsCheck | null,
): CheckedDefinition {
  const { prefix } = tree;
  const limit = new ListingLimit();
  const read = sortResults(results);
  const { lint, repositories, diagnostics: ofFactory } = openFactory(prefix, read.factory);
  const webhooks = read.webhooks.map((result) => openWebhook(prefix, result, lint, limit));
  const references = collectReferences(tree, sorted, { webhooks, repositories }, context);
  const automations = checkAutomations(read.automations, { prefix, lint, references }, earlier, limit);
  checkUnusedWebhooks(webhooks, automations.usedWebhooks);
  checkSameProvider(webhooks, automations.automations);
  const declared = listDeclared(sorted);
  const definitions = listDefinitions(automations.automations);
  const samplesReferTo = { webhooks: references, automations: declared.automations, definitions };
  // Those of the tree, of samples and of `factory.yaml` itself were made at their default severity.
  const ofDefault = [
    ...sorted.diagnostics,
    ...checkTree(tree, sorted, context.webhooksPerFactory),
    ...checkAgentFiles(tree),
    ...ofFactory,
    ...checkSamples(prefix, sorted, read.samples, samplesReferTo, limit),
  ];
  const diagnostics = [
    ...applyLint(ofDefault, lint),
    ...webhooks.flatMap(({ diagnostics }) => diagnostics.toDiagnostics()),
    ...listAutomationDiagnostics(automations),
  ].sort(compareDiagnostics);
  const definition = hasErrors(diagnostics)
    ? null
    : toDefinition({ lint, repositories }, webhooks, automations.automations);
  const files = results.map(({ path }) => prefix + path);
  return { validated: { diagnostics, definition, declared, files }, automations, isLimited: limit.isReached };
}

/** The results by kind, in their order. */
function sortResults(results: readonly FileResult[]) {
  const sorted = {
    factory: null as FactoryResult | null,
    webhooks: [] as WebhookResult[],
    automations: [] as AutomationResult[],
    samples: [] as SampleResult[],
  };
  for (const result of results) {
    if (result.kind === 'factory') sorted.factory = result;
    else if (result.kind === 'webhook') sorted.webhooks.push(result);
    else if (result.kind === 'automation') sorted.automations.push(result);
    else sorted.samples.push(result);
  }
  return sorted;
}

function openFactory(
  prefix: string,
  factory: FactoryResult | null,
): { lint: LintSettings; repositories: string[] | null; diagnostics: readonly Diagnostic[] } {
  if (factory === null) return { lint: {}, repositories: null, diagnostics: [] };
  const diagnostics = new FileDiagnostics(prefix + factory.path, {});
  diagnostics.addFindings(factory.findings);
  return { lint: factory.lint, repositories: factory.repositories, diagnostics: diagnostics.toDiagnostics() };
}

function openWebhook(prefix: string, result: WebhookResult, lint: LintSettings, limit: ListingLimit): CheckedWebhook {
  const { path, findings, signatureFindings, lintFindings, definition } = result;
  const diagnostics = new FileDiagnostics(prefix + path, lint, limit.ofNextFile);
  diagnostics.addFindings(findings);
  if (!diagnostics.hasErrors()) diagnostics.addFindings(signatureFindings);
  const isValid = !diagnostics.hasErrors();
  if (isValid) diagnostics.addFindings(lintFindings);
  limit.note(diagnostics.size);
  return { definition: isValid ? definition : null, diagnostics };
}

function checkSamples(
  prefix: string,
  { samples: files }: SortedEntries,
  samples: readonly SampleResult[],
  references: SampleReferences,
  limit: ListingLimit,
): Diagnostic[] {
  if (samples.length === 0) return [];
  const check = createSampleCheck(prefix, references, limit);
  return samples.flatMap((result, index) => check(files[index]!.owner, result).diagnostics);
}

function collectReferences(
  { entries }: SourceTree,
  { webhooks: files }: SortedEntries,
  { webhooks, repositories }: { webhooks: readonly CheckedWebhook[]; repositories: string[] | null },
  { knownUids }: ValidationContext,
): References {
  return {
    declared: new Set(files.map(({ name }) => name)),
    repositories,
    webhooks: new Map(listDefinitions(webhooks).map((definition) => [definition.name, definition])),
    knownUids,
    namesByUid: new Map([...knownUids].map(([name, uid]) => [uid, name])),
    agentNames: listAgentNames(entries),
  };
}

function toDefinition(
  factory: Pick<FactoryDefinition, 'lint' | 'repositories'>,
  webhooks: readonly CheckedWebhook[],
  automations: readonly CheckedAutomation[],
): FactoryDefinition {
  return { ...factory, webhooks: listDefinitions(webhooks), automations: listDefinitions(automations) };
}

function listDefinitions<Definition>(checked: readonly { definition: Definition | null }[]): Definition[] {
  return checked.flatMap(({ definition }) => (definition === null ? [] : [definition]));
}

function listDeclared({ webhooks, automations }: SortedEntries): ValidatedTree['declared'] {
  return { webhooks: webhooks.map(({ name }) => name), automations: automations.map(({ name }) => name) };
}
