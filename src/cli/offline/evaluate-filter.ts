import {
  evaluateAutomation,
  evaluateWrittenFilter,
  type FilterResult,
  toFilterResult,
} from '../../definitions/filter/evaluate-filters.ts';
import type { AnyFilter } from '../../definitions/filter/parse-filter.ts';
import { parseYaml } from '../../definitions/yaml/parse-yaml.ts';
import type { AutomationDefinition } from '../../domain/definitions/definition.ts';
import { type Received, triggerFilters } from '../../domain/definitions/trigger.ts';
import { formatPath } from '../../domain/words/payload-filters.ts';
import { CliError } from '../exit-codes.ts';

/** What a filter would do with a delivery. An invalid filter is a `CliError` that lists all that is wrong with it. */
export function evaluateFilter(filter: AnyFilter, received: Received): FilterResult {
  const evaluation = evaluateWrittenFilter(filter, received);
  if (evaluation.outcome !== 'invalid') return toFilterResult(evaluation);
  const lines = evaluation.problems.map(({ path, message, hint }) => {
    return `  ${path.length === 0 ? '' : `${formatPath(path)}: `}${message} ${hint}`;
  });
  throw new CliError('The filter is invalid, so it would never match.', {
    code: 'invalid_filter',
    hint: lines.join('\n'),
  });
}

/** What an automation of a folder would do: any of its webhook triggers suffices, and a disabled one starts nothing. */
export function evaluateDeclaredAutomation(
  { name, enabled, triggers }: AutomationDefinition,
  received: Received,
): FilterResult {
  const filters = triggerFilters({ triggers, listensTo: [] }, null);
  const noTriggerMessage = `The automation ${name} has no webhook trigger.`;
  return evaluateAutomation({ name, enabled, filters, noTriggerMessage }, received);
}

/** A filter as a file holds it: JSON, or YAML read as strictly as front matter is. */
export function parseFilterText(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const parsed = parseYaml(text);
    if (parsed.ok) return parsed.yaml.value;
    const lines = parsed.problems.slice(0, MAX_FINDINGS).map((describe) => {
      const { at, message, hint } = describe();
      return `  ${file}:${at.line}:${at.column}: ${message} ${hint}`.trimEnd();
    });
    throw new CliError(`${file} is neither valid JSON nor valid YAML.`, { hint: lines.join('\n') });
  }
}

/** A text that is not YAML may have thousands of errors. */
const MAX_FINDINGS = 10;
