import type { AutomationDefinition, FactoryDefinition } from '../core/definition.ts';
import { type DeliveryFilter, isWebhookTrigger, lowercaseNames, triggerFilters } from '../core/trigger.ts';
import type { Sample } from '../definitions/read/read-sample.ts';
import { evaluateAutomation } from '../filter/evaluate-filters.ts';
import type { SampleDecision, SampleResult } from './sample-result.ts';

/** What each sample would start if its webhook accepted it now, and whether the sample expects that. */
export function evaluateSamples(definition: FactoryDefinition, samples: readonly Sample[]): SampleResult[] {
  const automations = [...definition.automations].sort((a, b) => (a.name < b.name ? -1 : 1));
  return samples.map((sample) => evaluateSample({ ...definition, automations }, sample));
}

function evaluateSample(definition: FactoryDefinition, sample: Sample): SampleResult {
  const decisions = definition.automations.flatMap((automation) => decide(definition, automation, sample) ?? []);
  const started = decisions.filter(({ starts }) => starts).map(({ automation }) => automation);
  const { webhook, name, file, description, starts: expected } = sample;
  const failures = expected === null ? [] : decisions.filter((found) => found.starts !== isExpected(sample, found));
  const outcome = expected === null ? 'reported' : failures.length === 0 ? 'passed' : 'failed';
  return { webhook, name, file, description, outcome, expected, started, decisions, failures };
}

function isExpected({ starts }: Sample, { automation }: SampleDecision): boolean {
  return starts?.includes(automation) ?? false;
}

/** `null` if the automation has no trigger for the webhook and is not expected. */
function decide(
  { webhooks }: FactoryDefinition,
  automation: AutomationDefinition,
  sample: Sample,
): SampleDecision | null {
  const triggers = automation.triggers.filter(isWebhookTrigger);
  const filters = triggerFilters({ triggers, listensTo: triggers.map((trigger) => trigger.webhooks) }, sample.webhook);
  const byUid = triggers.some((trigger) => trigger.webhookIds.length > 0);
  const isListed = sample.starts?.includes(automation.name) ?? false;
  if (filters.length === 0 && !isListed) return null;
  if (filters.length > 0 && webhooks.find(({ name }) => name === sample.webhook)?.enabled === false) {
    const message = `The webhook ${sample.webhook} is disabled, so senders get 404 and nothing starts.`;
    return describeNoStart(automation.name, message);
  }
  return evaluateFilters(automation, filters, byUid, sample);
}

function evaluateFilters(
  { name, enabled }: AutomationDefinition,
  filters: readonly DeliveryFilter[],
  byUid: boolean,
  { webhook, headers, body }: Sample,
): SampleDecision {
  const noTriggerMessage = byUid
    ? `The automation ${name} selects webhooks by UID, which only a running daemon knows; list ${webhook} under "webhooks".`
    : `The automation ${name} has no trigger for the webhook ${webhook}.`;
  const {
    verdict,
    trace,
    decided_by: path,
    message,
  } = evaluateAutomation(
    { name, enabled, filters, noTriggerMessage },
    { headers: lowercaseNames(headers), payload: body },
  );
  if (verdict === 'Would trigger') return { ...describeNoStart(name, message), starts: true };
  // A disabled automation has a trace too, but no key decides.
  const decidedBy = path === null ? undefined : trace.find((entry) => !entry.matched);
  const { expected, actual } = decidedBy ?? { expected: null, actual: null };
  return { automation: name, starts: false, path, expected, actual, message };
}

function describeNoStart(automation: string, message: string): SampleDecision {
  return { automation, starts: false, path: null, expected: null, actual: null, message };
}
