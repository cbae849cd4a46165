import type { FactoryDefinition } from '../../core/definition.ts';
import { compareDiagnostics, type Diagnostic } from '../../core/diagnostic.ts';
import type { SourceTree } from '../../core/source-tree.ts';
import { suggest } from '../../core/suggest.ts';
import { quote } from '../../yaml/key-path.ts';
import { FILE_START } from '../../yaml/positions.ts';
import { FileDiagnostics } from '../file-diagnostics.ts';
import { type ReadSample, readSample, type Sample } from '../read/read-sample.ts';
import { type SampleEntry, sortEntries } from '../read/sort-entries.ts';
import type { References } from './check-references.ts';
import { listNamedHeaders } from './check-signature.ts';

/** The names that samples refer to. */
export interface SampleReferences {
  webhooks: Pick<References, 'declared' | 'webhooks'>;
  /** Names of all automations that the tree declares. */
  automations: readonly string[];
  /** Called with the path of each sample before it is read. */
  onFile?: (file: string) => void;
}

/**
 * All problems of samples, with the default severity: warnings, because samples change nothing that is live, and an invalid
 * sample must not prevent an apply.
 *
 * @param take called with each sample that can be read
 */
export function checkSamples(
  entries: readonly SampleEntry[],
  prefix: SourceTree['prefix'],
  references: SampleReferences,
  take: (sample: Sample) => void = () => {},
): Diagnostic[] {
  const automations = new Set(references.automations);
  const suggestAutomation = createSuggester(automations);
  const { declared, webhooks } = references.webhooks;
  const orphans = new Set<string>();
  return entries.flatMap((entry) => {
    const file = prefix + entry.entry.path;
    references.onFile?.(file);
    const diagnostics = new FileDiagnostics(file, {}, 'warning');
    const read = readSample(entry, diagnostics, listNamedHeaders(webhooks.get(entry.webhook)));
    if (!declared.has(entry.webhook) && !orphans.has(entry.webhook)) {
      orphans.add(entry.webhook);
      addUnknownWebhook(entry.webhook, diagnostics, declared);
    }
    if (read !== null) {
      checkStarts(read, diagnostics, automations, suggestAutomation);
      take(read.sample);
    }
    return diagnostics.toDiagnostics();
  });
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
  const samples: Sample[] = [];
  const webhooks = new Map(definition?.webhooks.map((webhook) => [webhook.name, webhook]));
  const references = {
    webhooks: { declared: new Set(declared.webhooks), webhooks },
    automations: declared.automations,
  };
  const found = checkSamples(sorted.samples, tree.prefix, references, (sample) => samples.push(sample));
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

function checkStarts(
  { sample, json }: ReadSample,
  diagnostics: FileDiagnostics,
  automations: ReadonlySet<string>,
  suggestAutomation: (name: string) => string | null,
): void {
  const unknown = (sample.starts ?? []).flatMap((name, index) => (automations.has(name) ? [] : [{ name, index }]));
  diagnostics.addAll(
    unknown.map(({ name, index }) => () => {
      const path = ['starts', index];
      const meant = suggestAutomation(name);
      return {
        rule: 'sample/unknown-automation',
        at: json.locate(path).value,
        path,
        message: `The automation ${quote(name)} does not exist.`,
        hint: meant === null ? 'List the names of folders in automations/.' : `Did you mean ${quote(meant)}?`,
      };
    }),
  );
}

/** Each suggestion compares all names. Without a limit, 4,000 samples with 100 unknown names each would take minutes. */
const MAX_SUGGESTIONS = 100;

function createSuggester(candidates: ReadonlySet<string>): (name: string) => string | null {
  const known = new Map<string, string | null>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    if (known.size >= MAX_SUGGESTIONS) return null;
    const meant = suggest(name, candidates);
    known.set(name, meant);
    return meant;
  };
}
