import type { FactoryDefinition } from '../../core/definition.ts';
import { compareDiagnostics, type Diagnostic } from '../../core/diagnostic.ts';
import type { SourceTree } from '../../core/source-tree.ts';
import { suggest } from '../../core/suggest.ts';
import { isCredentialHeader } from '../../signature/schemes/credential-headers.ts';
import { quote } from '../../yaml/key-path.ts';
import { FILE_START } from '../../yaml/positions.ts';
import { FileDiagnostics, FileFindings, ListingLimit } from '../file-diagnostics.ts';
import { placeOf, type SampleResult } from '../read/file-result.ts';
import { readSampleFile, type Sample } from '../read/read-sample.ts';
import { sortEntries } from '../read/sort-entries.ts';
import { listNamedHeaders } from './check-signature.ts';
import { createSuggester } from './create-suggester.ts';
import type { References } from './references.ts';

/** The names that samples refer to. */
export interface SampleReferences {
  webhooks: Pick<References, 'declared' | 'webhooks'>;
  /** Names of all automations that the tree declares. */
  automations: readonly string[];
}

/** The problems of one sample, and whether it can be evaluated. */
interface CheckedSample {
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
): (webhook: string, result: SampleResult) => CheckedSample {
  const automations = new Set(references.automations);
  const suggestAutomation = createSuggester(automations);
  const { declared, webhooks } = references.webhooks;
  const orphans = new Set<string>();
  return (webhook, result) => {
    const diagnostics = new FileDiagnostics(prefix + result.path, {}, limit.ofNextFile, 'warning');
    diagnostics.addFindings(result.findings);
    checkHeaders(result, diagnostics, listNamedHeaders(webhooks.get(webhook)));
    const isReadable = diagnostics.isEmpty();
    diagnostics.addFindings(result.exposedFindings);
    if (!declared.has(webhook) && !orphans.has(webhook)) {
      orphans.add(webhook);
      addUnknownWebhook(webhook, diagnostics, declared);
    }
    if (isReadable) checkStarts(result, diagnostics, automations, suggestAutomation);
    limit.note(diagnostics.size);
    return { isReadable, diagnostics: diagnostics.toDiagnostics() };
  };
}

/** The samples of a tree that can be read, in the order of their paths, and all diagnostics about samples. */
export interface TreeSamples {
  samples: Sample[];
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
  };
  const check = createSampleCheck(tree.prefix, references);
  const samples: Sample[] = [];
  const found = sorted.samples.flatMap((file) => {
    const { result, sample } = readSampleFile(file, new FileFindings(tree.prefix + file.entry.path));
    const { isReadable, diagnostics } = check(file.webhook, result);
    if (isReadable && sample !== null) samples.push(sample);
    return diagnostics;
  });
  const misplaced = sorted.diagnostics.filter(({ rule }) => rule.startsWith('sample/'));
  const diagnostics = [...misplaced, ...found];
  return { samples, diagnostics: diagnostics.sort(compareDiagnostics) };
}

/** The part of a validated tree that samples refer to. */
export interface ValidatedNames {
  definition: FactoryDefinition | null;
  declared: { webhooks: readonly string[]; automations: readonly string[] };
}

function addUnknownWebhook(webhook: string, diagnostics: FileDiagnostics, declared: ReadonlySet<string>): void {
  const meant = suggest(webhook, declared);
  diagnostics.add({
    rule: 'sample/unknown-webhook',
    at: FILE_START,
    path: [],
    message: `The webhook ${quote(webhook)} does not exist, so its samples have no effect.`,
    hint:
      meant === null
        ? `Add webhooks/${webhook}.yaml, or remove the folder.`
        : `Did you mean webhooks/${meant}.samples/?`,
  });
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
        hint: meant === null ? 'List the names of folders in automations/.' : `Did you mean ${quote(meant)}?`,
      };
    }),
  );
}
