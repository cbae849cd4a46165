import type { AppliedAutomation } from '../core/applied.ts';
import { isWebhookTrigger } from '../core/definition.ts';
import { AppError } from '../core/errors.ts';
import type { WebhookUid } from '../core/ids.ts';
import { compilePattern } from '../filter/compile-pattern.ts';
import type { Explanation, TraceEntry } from '../filter/explain.ts';
import type { PatternProblem } from '../filter/parse-pattern.ts';
import { parsePattern } from '../filter/parse-pattern.ts';
import type { ProblemItem } from './problem.ts';

/** What a filter or an automation would do with a payload, and which key decided. */
export interface FilterVerdict {
  verdict: 'Would trigger' | 'Would not trigger';
  trace: TraceEntry[];
  decided_by: string | null;
  message: string;
}

/** Evaluates one filter. Throws `invalid_filter` with all that is wrong with it. */
export function judgeFilter(filter: unknown, payload: unknown): FilterVerdict {
  return toVerdict(explainFilter(filter, payload));
}

/**
 * Evaluates an automation as a delivery would: any of its triggers that listens to the webhook suffices, and a disabled
 * automation starts nothing. Without a webhook, all its webhook triggers count.
 */
export function judgeAutomation(
  automation: AppliedAutomation,
  webhook: WebhookUid | null,
  payload: unknown,
): FilterVerdict {
  const filters = automation.triggers.flatMap((trigger, i) => {
    const listens = webhook === null || automation.listensTo[i]?.includes(webhook) === true;
    return isWebhookTrigger(trigger) && listens ? [trigger.payload] : [];
  });
  if (filters.length === 0) return refuse([], explainDeafness(automation, webhook));
  const explanations = filters.map((filter) => explainFilter(filter ?? {}, payload));
  const deciding = explanations.find(({ matched }) => matched) ?? explanations[0]!;
  if (!automation.enabled) return refuse(deciding.trace, `The automation ${automation.name} is disabled.`);
  return toVerdict(deciding);
}

function explainFilter(filter: unknown, payload: unknown): Explanation {
  const parsed = parsePattern(filter);
  if (parsed.ok) return compilePattern(parsed.pattern).explain(payload);
  const [first] = parsed.problems;
  throw new AppError('invalid_filter', `${first!.message} ${first!.hint}`, {
    details: parsed.problems.map(toProblemItem),
  });
}

function toProblemItem({ path, message, hint }: PatternProblem): ProblemItem {
  const steps = path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`);
  return { pointer: `#/filter${steps.join('')}`, in: 'body', detail: `${message} ${hint}` };
}

function toVerdict({ matched, trace, decidedBy }: Explanation): FilterVerdict {
  if (!matched) return { ...refuse(trace, decidedBy?.message ?? ''), decided_by: decidedBy?.path ?? null };
  const message =
    trace.length === 0 ? 'The filter is empty: it matches every payload.' : 'Every key of the filter matched.';
  return { verdict: 'Would trigger', trace, decided_by: null, message };
}

function refuse(trace: TraceEntry[], message: string): FilterVerdict {
  return { verdict: 'Would not trigger', trace, decided_by: null, message };
}

function explainDeafness(automation: AppliedAutomation, webhook: WebhookUid | null): string {
  if (webhook === null) return `The automation ${automation.name} has no webhook trigger.`;
  return `The automation ${automation.name} does not listen to the webhook ${webhook} of this delivery.`;
}
