import type { AutomationDefinition, FactoryDefinition } from '../../domain/definitions/definition.ts';
import { automationPaths, webhookPath } from '../../domain/definitions/definition-paths.ts';
import { compareDiagnostics, type Diagnostic } from '../../domain/definitions/diagnostic.ts';
import type { SourceTree } from '../../domain/definitions/source-tree.ts';
import { isWebhookTrigger } from '../../domain/definitions/trigger.ts';
import { suggest } from '../../domain/suggest.ts';
import { FileDiagnostics, FileFindings, type FileProblem, ListingLimit } from '../file-diagnostics.ts';
import type { SampleOwner } from '../read/definition-file.ts';
import { placeOf, type SampleResult } from '../read/file-result.ts';
import { readSampleFile, type Sample } from '../read/read-sample.ts';
import { sortEntries } from '../read/sort-entries.ts';
import { isCredentialHeader } from '../signature/schemes/credential-headers.ts';
import { findServingWebhooks } from '../triggers/serving-webhooks.ts';
import { quote } from '../yaml/key-path.ts';
import { FILE_START } from '../yaml/positions.ts';
import { listNamedHeaders } from './check-signature.ts';
import { createSuggester } from './create-suggester.ts';
import type { References } from './references.ts';

/** The names that samples refer to. */
export interface SampleReferences {
  webhooks: Pick<References, 'declared' | 'webhooks'>;
  /** Names of all automations that the tree declares. */
  automations: readonly string[];
  /** The automations that are valid. */
  definitions: readonly AutomationDefinition[];
}

/** The problems of one sample, and whether it can be evaluated. */
interface CheckedSample {
  /** Names of the webhooks to which the sample is a delivery. */
  receivers: readonly string[];
  isReadable: boolean;
  diagnostics: readonly Diagnostic[];
}

/**
 * Creates the check of one sample; samples must be in the order of their paths. All problems have the default severity:
 * warnings, because samples change nothing that is live, and an invalid sample must not prevent an apply.
 */
export function createSampleCheck(
  prefix: SourceTree['prefix'],
  references: SampleReferences,
  limit: ListingLimit = new ListingLimit(),
): (owner: SampleOwner, result: SampleResult) => CheckedSample {
  const automations = new Set(references.automations);
  const suggestAutomation = createSuggester(automations);
  const { declared, webhooks } = references.webhooks;
  const findDelivery = createDeliveryFinder(references);
  const orphans = new Set<string>();
  return (owner, result) => {
    const receivers = findDelivery(owner);
    const diagnostics = new FileDiagnostics(prefix + result.path, {}, limit.ofNextFile, 'warning');
    diagnostics.addFindings(result.findings);
    const named = receivers.flatMap((webhook) => listNamedHeaders(webhooks.get(webhook)));
    checkHeaders(result, diagnostics, named);
    const isReadable = diagnostics.isEmpty();
    diagnostics.addFindings(result.exposedFindings);
    const folder = `${owner.kind}s/${owner.name}.samples/`;
    if (receivers.length === 0 && !orphans.has(folder)) {
      orphans.add(folder);
      diagnostics.add(describeOrphan(owner, { webhooks: declared, automations }));
    }
    if (isReadable) checkStarts(result, diagnostics, automations, suggestAutomation);
    limit.note(diagnostics.size);
    return { receivers, isReadable, diagnostics: diagnostics.toDiagnostics() };
  };
}

/** A sample as a delivery to a webhook. A sample of an automation is one for each webhook that starts the automation. */
export interface SampleDelivery extends Sample {
  webhook: string;
}

/** The samples of a tree that can be read, in the order of their paths, and all diagnostics about samples. */
export interface TreeSamples {
  samples: SampleDelivery[];
  /** Includes rules that the factory turned off, because an invalid sample cannot be evaluated. */
  diagnostics: Diagnostic[];
}

/** Reads the samples of a validated tree. */
export function readSamples(tree: SourceTree, { definition, declared }: ValidatedNames): TreeSamples {
  const sorted = sortEntries(tree);
  const webhooks = new Map(definition?.webhooks.map((webhook) => [webhook.name, webhook]));
  const references = {
    webhooks: { declared: new Set(declared.webhooks), webhooks },
    automations: declared.automations,
    definitions: definition?.automations ?? [],
  };
  const check = createSampleCheck(tree.prefix, references);
  const samples: SampleDelivery[] = [];
  const found = sorted.samples.flatMap((file) => {
    const { result, sample } = readSampleFile(file, new FileFindings(tree.prefix + file.entry.path));
    const { receivers, isReadable, diagnostics } = check(file.owner, result);
    if (isReadable && sample !== null) samples.push(...receivers.map((webhook) => ({ ...sample, webhook })));
    return diagnostics;
  });
  const misplaced = sorted.diagnostics.filter(({ rule }) => rule.startsWith('sample/'));
  const diagnostics = [...misplaced, ...found];
  return { samples, diagnostics: diagnostics.sort(compareDiagnostics) };
}

/** The part of a validated tree that samples refer to. */
interface ValidatedNames {
  definition: FactoryDefinition | null;
  declared: { webhooks: readonly string[]; automations: readonly string[] };
}

/** Finds the webhooks to which samples are deliveries: the one with the samples, or those that start the automation. */
function createDeliveryFinder({ webhooks, definitions }: SampleReferences): (owner: SampleOwner) => readonly string[] {
  const all = [...webhooks.webhooks.values()];
  const byName = new Map(definitions.map((automation) => [automation.name, automation]));
  return ({ kind, name }) => {
    if (kind === 'webhook') return webhooks.declared.has(name) ? [name] : [];
    const listed = byName
      .get(name)
      ?.triggers.flatMap((trigger) =>
        isWebhookTrigger(trigger)
          ? trigger.webhooks
          : findServingWebhooks(trigger.provider, all).map((webhook) => webhook.name),
      );
    return [...new Set(listed)].sort();
  };
}

function describeOrphan(
  { kind, name }: SampleOwner,
  { webhooks, automations }: { webhooks: ReadonlySet<string>; automations: ReadonlySet<string> },
): FileProblem {
  const problem = { rule: 'sample/unknown-webhook', at: FILE_START, path: [] } as const;
  if (kind === 'automation' && automations.has(name)) {
    const message = `No webhook that the automation ${quote(name)} selects by name starts it, so its samples have no effect.`;
    return { ...problem, message, hint: 'Move the samples to the folder webhooks/<name>.samples/ of their webhook.' };
  }
  const meant = suggest(name, kind === 'webhook' ? webhooks : automations);
  const message = `The ${kind} ${quote(name)} does not exist, so its samples have no effect.`;
  const right = kind === 'webhook' ? webhookPath(name) : automationPaths(name).flat;
  const hint = meant === null ? `Add ${right}, or remove the folder.` : `Did you mean ${kind}s/${meant}.samples/?`;
  return { ...problem, message, hint };
}

/** @param namedHeaders lowercase names of headers that contain a signature of this webhook, in addition to the known ones */
function checkHeaders({ headers }: SampleResult, diagnostics: FileDiagnostics, namedHeaders: readonly string[]): void {
  const secret = headers.texts.flatMap((name, position) =>
    isCredentialHeader(name) || namedHeaders.includes(name.toLowerCase()) ? [{ name, position }] : [],
  );
  diagnostics.addAll(
    secret.map(({ name, position }) => () => ({
      rule: 'sample/credential-header',
      at: placeOf(headers, position),
      path: ['headers', name],
      message: `The header ${name} contains a credential or a signature, which must not be in a repository.`,
      hint: 'Remove the header: samples are evaluated without authentication. If the value was real, rotate the secret.',
    })),
  );
}

function checkStarts(
  { starts }: SampleResult,
  diagnostics: FileDiagnostics,
  automations: ReadonlySet<string>,
  suggestAutomation: (name: string) => string | null,
): void {
  const unknown = starts.texts.flatMap((name, position) => (automations.has(name) ? [] : [{ name, position }]));
  diagnostics.addAll(
    unknown.map(({ name, position }) => () => {
      const at = placeOf(starts, position);
      const meant = suggestAutomation(name);
      return {
        rule: 'sample/unknown-automation',
        at,
        path: ['starts', at.index],
        message: `The automation ${quote(name)} does not exist.`,
        hint: meant === null ? 'List the names of the automations in automations/.' : `Did you mean ${quote(meant)}?`,
      };
    }),
  );
}
