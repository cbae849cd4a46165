import type { FactoryDefinition } from '../../domain/definitions/definition.ts';
import type { SourceTree } from '../../domain/definitions/source-tree.ts';
import { isWebhookTrigger, type WebhookTrigger } from '../../domain/definitions/trigger.ts';
import type { ValidatedTree } from '../check/check-definition.ts';
import type { SampleDelivery, TreeSamples } from '../check/check-samples.ts';
import { evaluateSamples } from './evaluate-samples.ts';
import type { SampleReport, SampleResult } from './sample-result.ts';

/** A tree after validation, and its samples. */
interface SampleSubject {
  validated: Pick<ValidatedTree, 'definition' | 'diagnostics'>;
  tree: TreeSamples;
  prefix: SourceTree['prefix'];
}

/**
 * Evaluates the samples of a tree. The report passes only if all samples pass. A sample with diagnostics, and a file in a
 * folder of samples that is not a sample, fail: a sample that was not evaluated must not look as if it passed.
 *
 * @param webhook only samples of this webhook; `null` for all
 */
export function reportSamples(
  { validated, tree: { samples, diagnostics }, prefix }: SampleSubject,
  webhook: string | null,
): Pick<SampleReport, 'passed' | 'samples' | 'unjudged' | 'diagnostics'> {
  const { definition } = validated;
  if (definition === null) {
    const errors = validated.diagnostics.filter(({ severity }) => severity === 'error');
    return { passed: false, samples: [], unjudged: [], diagnostics: errors };
  }
  const found = diagnostics.flatMap((diagnostic) => {
    const place = findPlace(diagnostic.file, prefix);
    return place !== null && (webhook === null || place.webhook === webhook) ? [{ diagnostic, place }] : [];
  });
  // A possible credential is reported, but the sample can be evaluated.
  const faults = found.filter(({ diagnostic }) => diagnostic.rule.startsWith('sample/'));
  const faulty = new Map(faults.map(({ diagnostic, place }) => [diagnostic.file, place]));
  const meant = samples.filter((sample) => webhook === null || sample.webhook === webhook);
  const declared = new Set(definition.webhooks.map(({ name }) => name));
  const isSound = (sample: SampleDelivery) => !faulty.has(sample.file) && declared.has(sample.webhook);
  const invalid = new Map([
    ...faulty,
    ...meant.filter((sample) => !isSound(sample)).map((one) => [one.file, one] as const),
  ]);
  const results = [...evaluateSamples(definition, meant.filter(isSound)), ...[...invalid].map(describeInvalid)];
  return {
    passed: results.every(({ outcome }) => outcome === 'passed' || outcome === 'reported'),
    samples: results.sort((a, b) => (a.file < b.file ? -1 : 1)),
    unjudged: listNotEvaluated(definition),
    diagnostics: found.map(({ diagnostic }) => diagnostic),
  };
}

interface Place {
  /** `null` for a sample of an automation. */
  webhook: string | null;
  name: string;
}

const IN_SAMPLES = /^(webhooks|automations)\/([^/]*)\.samples\/(.*?)(?:\.json)?$/;

/** The webhook and the name of a sample by its file; `null` for any other file. */
function findPlace(file: string, prefix: SourceTree['prefix']): Place | null {
  const [, root, owner = '', name] = IN_SAMPLES.exec(file.slice(prefix.length)) ?? [];
  return name === undefined ? null : { webhook: root === 'webhooks' ? owner : null, name };
}

function describeInvalid([file, { webhook, name }]: readonly [string, Place]): SampleResult {
  const unknown = { description: null, expected: null, started: [], decisions: [], failures: [] };
  return { webhook, name, file, outcome: 'invalid', ...unknown };
}

function listNotEvaluated({ automations }: FactoryDefinition): string[] {
  const selectsByUidOnly = ({ webhooks, webhookIds }: WebhookTrigger) => webhooks.length === 0 && webhookIds.length > 0;
  return automations
    .filter(({ enabled, triggers }) => enabled && triggers.filter(isWebhookTrigger).some(selectsByUidOnly))
    .map(({ name }) => name);
}
