import type { JsonObject } from '../core/json.ts';
import { type CompiledPattern, compilePattern } from './compile-pattern.ts';
import type { TraceEntry } from './explain.ts';
import { type PatternProblem, parsePattern } from './parse-pattern.ts';

/**
 * What the filters of an automation make of a payload. `invalid`: none matched, and some could not be evaluated, which
 * then never match (decisions, "Payload filter"); said before any key that decided, since it is what has to be mended.
 */
export type FilterEvaluation =
  | { outcome: 'matched'; trace: TraceEntry[] }
  | { outcome: 'filtered'; trace: TraceEntry[]; decidedBy: TraceEntry }
  | { outcome: 'invalid'; problems: PatternProblem[] };

/** As `FilterEvaluation`, without the conditions that did not decide. */
export type FilterDecision =
  | { outcome: 'matched' }
  | { outcome: 'filtered'; decidedBy: TraceEntry }
  | { outcome: 'invalid'; problems: PatternProblem[] };

/** Filters of which any suffices: those of all triggers of one automation that listen to a webhook. */
export interface CompiledFilters {
  /** Does the payload, as `JSON.parse` gave it, match any of them? The quick way, for the path of a delivery. */
  matches(payload: unknown): boolean;
  /** The same verdict with the key that decided, for the path of a delivery as well. */
  decide(payload: unknown): FilterDecision;
  /** The same verdict with all its reasons: those of the filter that matches, else of the first. */
  evaluate(payload: unknown): FilterEvaluation;
}

/** Prepares filters as JSON or YAML gave them; a trigger without one counts as `{}`, which every payload matches. */
export function compileFilters(filters: readonly unknown[]): CompiledFilters {
  const parsed = filters.map(parsePattern);
  const patterns = parsed.flatMap((result) => (result.ok ? [compilePattern(result.pattern)] : []));
  const problems = parsed.flatMap((result) => (result.ok ? [] : result.problems));
  return {
    matches: (payload) => patterns.some((pattern) => pattern.matches(payload)),
    decide: (payload) => decideByPatterns(patterns, problems, payload),
    evaluate: (payload) => evaluatePatterns(patterns, problems, payload),
  };
}

const MATCHED: FilterDecision = { outcome: 'matched' };

function decideByPatterns(
  patterns: readonly CompiledPattern[],
  problems: PatternProblem[],
  payload: unknown,
): FilterDecision {
  if (patterns.some((pattern) => pattern.matches(payload))) return MATCHED;
  const [first] = patterns;
  if (first === undefined || problems.length > 0) return { outcome: 'invalid', problems };
  return { outcome: 'filtered', decidedBy: first.findDecidingEntry(payload)! };
}

function evaluatePatterns(
  patterns: readonly CompiledPattern[],
  problems: PatternProblem[],
  payload: unknown,
): FilterEvaluation {
  const matching = patterns.find((pattern) => pattern.matches(payload));
  const deciding = matching ?? patterns[0];
  if (deciding === undefined || (matching === undefined && problems.length > 0))
    return { outcome: 'invalid', problems };
  const { trace, decidedBy } = deciding.explain(payload);
  return decidedBy === null ? { outcome: 'matched', trace } : { outcome: 'filtered', trace, decidedBy };
}

/** What a test of a filter or an automation answers, in the words of the API and of the command line. */
export interface FilterResult {
  verdict: 'Would trigger' | 'Would not trigger';
  trace: TraceEntry[];
  /** Path of the key that decided; `null` where every key matched or none could decide. */
  decided_by: string | null;
  message: string;
}

/** An automation as far as it is judged here. */
export interface EvaluatedAutomation {
  name: string;
  enabled: boolean;
  /** Filters of the triggers that count; `{}` for a trigger without one. */
  filters: readonly JsonObject[];
  /** Said where no trigger counts. */
  noTriggerMessage: string;
}

/** Would a delivery with this payload start the automation? A disabled one starts nothing, whatever matches. */
export function evaluateAutomation(automation: EvaluatedAutomation, payload: unknown): FilterResult {
  if (automation.filters.length === 0) return refuse(automation.noTriggerMessage);
  const evaluation = compileFilters(automation.filters).evaluate(payload);
  if (automation.enabled) return toFilterResult(evaluation);
  const trace = evaluation.outcome === 'invalid' ? [] : evaluation.trace;
  return refuse(`The automation ${automation.name} is disabled.`, trace);
}

/** The result of an evaluation, for people and for the API. */
export function toFilterResult(evaluation: FilterEvaluation): FilterResult {
  if (evaluation.outcome === 'invalid') return refuse(describeInvalid(evaluation.problems));
  const { outcome, trace } = evaluation;
  if (outcome === 'filtered') {
    const { path, message } = evaluation.decidedBy;
    return { ...refuse(message, trace), decided_by: path };
  }
  const message =
    trace.length === 0 ? 'The filter is empty: it matches every payload.' : 'Every key of the filter matched.';
  return { verdict: 'Would trigger', trace, decided_by: null, message };
}

/** One sentence about filters that cannot be evaluated. */
export function describeInvalid([first]: readonly PatternProblem[]): string {
  return `The filter cannot be evaluated: ${first?.message ?? 'there is none.'}`;
}

function refuse(message: string, trace: TraceEntry[] = []): FilterResult {
  return { verdict: 'Would not trigger', trace, decided_by: null, message };
}
