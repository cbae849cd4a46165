import {
  evaluateAutomation,
  evaluateWrittenFilter,
  type FilterResult,
  toFilterResult,
} from '../../definitions/filter/evaluate-filters.ts';
import type { AnyFilter, FilterProblem } from '../../definitions/filter/parse-filter.ts';
import { type Received, triggerFilters } from '../../domain/definitions/trigger.ts';
import { AppError, type ProblemItem } from '../../domain/errors.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { AppliedAutomation } from '../../domain/resources/automation.ts';

/** Evaluates one filter. Throws `invalid_filter` with all that is wrong with it. */
export function evaluateFilter(filter: AnyFilter, received: Received): FilterResult {
  const evaluation = evaluateWrittenFilter(filter, received);
  if (evaluation.outcome !== 'invalid') return toFilterResult(evaluation);
  const [first] = evaluation.problems;
  throw new AppError('invalid_filter', `${first!.message} ${first!.hint}`, {
    details: evaluation.problems.map(toProblemItem),
  });
}

function toProblemItem({ part, path, message, hint }: FilterProblem): ProblemItem {
  const steps = path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`);
  const key = part === 'headers' ? 'headers_filter' : 'filter';
  return { pointer: `#/${key}${steps.join('')}`, in: 'body', detail: `${message} ${hint}` };
}

/** Evaluates an applied automation; with a webhook only the triggers that listen to it count, as for a delivery. */
export function evaluateAppliedAutomation(
  automation: AppliedAutomation,
  webhook: WebhookUid | null,
  received: Received,
): FilterResult {
  const { name, enabled } = automation;
  const filters = triggerFilters(automation, webhook);
  return evaluateAutomation({ name, enabled, filters, noTriggerMessage: explainNoTrigger(name, webhook) }, received);
}

function explainNoTrigger(name: string, webhook: WebhookUid | null): string {
  if (webhook === null) return `The automation ${name} has no webhook trigger.`;
  return `The automation ${name} does not listen to the webhook ${webhook} of this delivery.`;
}
