import type { AutomationDefinition, FactoryDefinition } from '../../domain/definitions/definition.ts';
import {
  type DeliveryFilter,
  isWebhookTrigger,
  lowercaseNames,
  triggerFilters,
} from '../../domain/definitions/trigger.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { SampleDelivery } from '../check/check-samples.ts';
import { evaluateAutomation } from '../filter/evaluate-filters.ts';
import { collectListenedTo, type ListenedTo, resolveListeners } from '../triggers/resolve-listeners.ts';
import type { SampleDecision, SampleResult } from './sample-result.ts';

/** What each sample would start if its webhook accepted it now, and whether the sample expects that. */
export function evaluateSamples(definition: FactoryDefinition, samples: readonly SampleDelivery[]): SampleResult[] {
  const automations = [...definition.automations].sort((a, b) => (a.name < b.name ? -1 : 1));
  const listened = collectListenedTo(definition, nameUids(definition));
  const candidates = automations.map((automation) => resolve(automation, listened));
  return samples.map((sample) => evaluateSample(definition, candidates, sample));
}

/** Before an apply, webhooks have no UID, so their names stand for it. */
function nameUids({ webhooks }: FactoryDefinition): Map<string, WebhookUid> {
  return new Map(webhooks.map(({ name }) => [name, name as WebhookUid]));
}

/** An automation, and the filters by which each webhook starts it. */
interface Candidate {
  automation: AutomationDefinition;
  /** Does a trigger select webhooks by UID? */
  byUid: boolean;
  filtersOf(webhook: string): DeliveryFilter[];
}

function resolve(automation: AutomationDefinition, listened: ListenedTo): Candidate {
  const { triggers, listensTo } = resolveListeners(automation, listened);
  return {
    automation,
    byUid: automation.triggers.some((trigger) => isWebhookTrigger(trigger) && trigger.webhookIds.length > 0),
    filtersOf: (webhook) => triggerFilters<string>({ triggers, listensTo }, webhook),
  };
}

function evaluateSample(
  definition: FactoryDefinition,
  candidates: readonly Candidate[],
  sample: SampleDelivery,
): SampleResult {
  const decisions = candidates.flatMap((candidate) => decide(definition, candidate, sample) ?? []);
  const started = decisions.filter(({ starts }) => starts).map(({ automation }) => automation);
  const { webhook, name, file, description, starts: expected } = sample;
  const failures = expected === null ? [] : decisions.filter((found) => found.starts !== isExpected(sample, found));
  const outcome = expected === null ? 'reported' : failures.length === 0 ? 'passed' : 'failed';
  return { webhook, name, file, description, outcome, expected, started, decisions, failures };
}

function isExpected({ starts }: SampleDelivery, { automation }: SampleDecision): boolean {
  return starts?.includes(automation) ?? false;
}

/** `null` if the automation has no trigger for the webhook and is not expected. */
function decide(
  { webhooks }: FactoryDefinition,
  { automation, byUid, filtersOf }: Candidate,
  sample: SampleDelivery,
): SampleDecision | null {
  const filters = filtersOf(sample.webhook);
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
  { webhook, headers, body }: SampleDelivery,
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
