import { AppError, type ProblemItem } from '../core/errors.ts';
import type { WebhookUid } from '../core/ids.ts';
import type { AppliedAutomation } from '../core/resources/automation.ts';
import { triggerFilters } from '../core/trigger.ts';
import { compileFilters, evaluateAutomation, type FilterResult, toFilterResult } from '../filter/evaluate-filters.ts';
import type { PatternProblem } from '../filter/parse-pattern.ts';

/** Evaluates one filter. Throws `invalid_filter` with all that is wrong with it. */
export function evaluateFilter(filter: unknown, payload: unknown): FilterResult {
  const evaluation = compileFilters([filter]).evaluate(payload);
  if (evaluation.outcome !== 'invalid') return toFilterResult(evaluation);
  const [first] = evaluation.problems;
  throw new AppError('invalid_filter', `${first!.message} ${first!.hint}`, {
    details: evaluation.problems.map(toProblemItem),
  });
}

function toProblemItem({ path, message, hint }: PatternProblem): ProblemItem {
  const steps = path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`);
  return { pointer: `#/filter${steps.join('')}`, in: 'body', detail: `${message} ${hint}` };
}

/** Evaluates an applied automation; with a webhook only the triggers that listen to it count, as for a delivery. */
export function evaluateAppliedAutomation(
  automation: AppliedAutomation,
  webhook: WebhookUid | null,
  payload: unknown,
): FilterResult {
  const { name, enabled } = automation;
  const filters = triggerFilters(automation, webhook);
  return evaluateAutomation({ name, enabled, filters, noTriggerMessage: explainNoTrigger(name, webhook) }, payload);
}

function explainNoTrigger(name: string, webhook: WebhookUid | null): string {
  if (webhook === null) return `The automation ${name} has no webhook trigger.`;
  return `The automation ${name} does not listen to the webhook ${webhook} of this delivery.`;
}
