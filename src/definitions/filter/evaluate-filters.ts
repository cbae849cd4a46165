import type { DeliveryFilter, Received } from '../../domain/definitions/trigger.ts';
import { type CompiledPattern, compilePattern } from './compile-pattern.ts';
import type { TraceEntry } from './explain.ts';
import { compareNearness, measureNearness } from './nearness.ts';
import { type AnyFilter, type FilterProblem, parseTriggerFilter, parseWrittenFilter } from './parse-filter.ts';

/**
 * Result of the filters of an automation for a delivery. `invalid`: no filter matched, and at least one could not be
 * evaluated; such filters never match (decisions, "Payload filter"). This is reported first, because it must be fixed.
 */
type FilterEvaluation =
  | { outcome: 'matched'; trace: TraceEntry[] }
  | { outcome: 'filtered'; trace: TraceEntry[]; decidedBy: TraceEntry }
  | { outcome: 'invalid'; problems: FilterProblem[] };

/** Like `FilterEvaluation`, with only the deciding condition. */
type FilterDecision =
  | { outcome: 'matched' }
  | { outcome: 'filtered'; decidedBy: TraceEntry }
  | { outcome: 'invalid'; problems: FilterProblem[] };

/** The filters of all triggers of one automation for a webhook. One matching filter is sufficient. */
export interface CompiledFilters {
  /** Does the delivery match any of them? Fast, for the path of a delivery. */
  matches(received: Received): boolean;
  /** The same result with the key that decided, also for the path of a delivery. */
  decide(received: Received): FilterDecision;
  /** The same result with all conditions: those of the matching filter, otherwise those of the first filter. */
  evaluate(received: Received): FilterEvaluation;
}

/** Compiles filters. A trigger without a filter has `{}`, which every delivery matches. */
export function compileFilters(filters: readonly AnyFilter[]): CompiledFilters {
  const parsed = filters.map(parseTriggerFilter);
  const patterns = parsed.flatMap((result) => (result.ok ? result.patterns.map(compilePattern) : []));
  const problems = parsed.flatMap((result) => (result.ok ? [] : result.problems));
  return {
    matches: (received) => patterns.some((pattern) => pattern.matches(received)),
    decide: (received) => decideByPatterns(patterns, problems, received),
    evaluate: (received) => evaluatePatterns(patterns, problems, received),
  };
}

const MATCHED: FilterDecision = { outcome: 'matched' };

function decideByPatterns(
  patterns: readonly CompiledPattern[],
  problems: FilterProblem[],
  received: Received,
): FilterDecision {
  if (patterns.some((pattern) => pattern.matches(received))) return MATCHED;
  if (patterns.length === 0 || problems.length > 0) return { outcome: 'invalid', problems };
  return { outcome: 'filtered', decidedBy: findNearest(patterns, received).decidedBy };
}

function evaluatePatterns(
  patterns: readonly CompiledPattern[],
  problems: FilterProblem[],
  received: Received,
): FilterEvaluation {
  const matching = patterns.find((pattern) => pattern.matches(received));
  if (matching !== undefined) return { outcome: 'matched', trace: matching.explain(received).trace };
  if (patterns.length === 0 || problems.length > 0) return { outcome: 'invalid', problems };
  const { pattern, decidedBy } = findNearest(patterns, received);
  return { outcome: 'filtered', trace: pattern.explain(received).trace, decidedBy };
}

/** The nearest of patterns that do not match. */
function findNearest(patterns: readonly CompiledPattern[], received: Received) {
  const [only, ...others] = patterns;
  if (others.length === 0) return { pattern: only!, decidedBy: only!.findDecidingEntry(received)! };
  const misses = patterns.map((pattern) => {
    const { trace, decidedBy } = pattern.explain(received);
    return { pattern, decidedBy: decidedBy!, nearness: measureNearness(trace) };
  });
  return misses.sort((a, b) => compareNearness(a.nearness, b.nearness))[0]!;
}

/** Evaluates a filter that somebody writes. */
export function evaluateWrittenFilter(filter: AnyFilter, received: Received): FilterEvaluation {
  const parsed = filter.trigger === undefined ? parseWrittenFilter(filter) : null;
  if (parsed?.ok === false) return { outcome: 'invalid', problems: parsed.problems };
  return compileFilters([filter]).evaluate(received);
}

/** Result of a test of a filter or an automation, for the API and the command line. */
export interface FilterResult {
  verdict: 'Would trigger' | 'Would not trigger';
  trace: TraceEntry[];
  /** Path of the key that decided; `null` if every key matched or no key decided. */
  decided_by: string | null;
  message: string;
}

/** The part of an automation that is evaluated. */
interface EvaluatedAutomation {
  name: string;
  enabled: boolean;
  /** Filters of the relevant triggers; `{}` for a trigger without a filter. */
  filters: readonly DeliveryFilter[];
  /** Message if no trigger is relevant. */
  noTriggerMessage: string;
}

/** Would this delivery start the automation? A disabled automation never starts. */
export function evaluateAutomation(automation: EvaluatedAutomation, received: Received): FilterResult {
  if (automation.filters.length === 0) return wouldNotTrigger(automation.noTriggerMessage);
  const evaluation = compileFilters(automation.filters).evaluate(received);
  if (automation.enabled) return toFilterResult(evaluation);
  const trace = evaluation.outcome === 'invalid' ? [] : evaluation.trace;
  return wouldNotTrigger(`The automation ${automation.name} is disabled.`, trace);
}

/** The result of an evaluation, for the API and the command line. */
export function toFilterResult(evaluation: FilterEvaluation): FilterResult {
  if (evaluation.outcome === 'invalid') return wouldNotTrigger(describeInvalid(evaluation.problems));
  const { outcome, trace } = evaluation;
  if (outcome === 'filtered') {
    const { path, message } = evaluation.decidedBy;
    return { ...wouldNotTrigger(message, trace), decided_by: path };
  }
  const message =
    trace.length === 0 ? 'The filter is empty and matches every payload.' : 'Every key of the filter matched.';
  return { verdict: 'Would trigger', trace, decided_by: null, message };
}

/** A message about filters that cannot be evaluated. */
export function describeInvalid([first]: readonly FilterProblem[]): string {
  return `The filter cannot be evaluated: ${first?.message ?? 'no filter is defined.'}`;
}

function wouldNotTrigger(message: string, trace: TraceEntry[] = []): FilterResult {
  return { verdict: 'Would not trigger', trace, decided_by: null, message };
}
