import { parseDocument } from 'yaml';
import type { AutomationDefinition } from '../core/definition.ts';
import { isWebhookTrigger } from '../core/definition.ts';
import { compilePattern } from '../filter/compile-pattern.ts';
import type { Explanation } from '../filter/explain.ts';
import { parsePattern } from '../filter/parse-pattern.ts';
import type { FilterVerdict } from './api-types.ts';
import { CliError } from './exit-codes.ts';

/** What a filter would do with a payload. An invalid filter is a `CliError` that lists all that is wrong with it. */
export function judgeFilter(filter: unknown, payload: unknown): FilterVerdict {
  return toVerdict(explainFilter(filter, payload));
}

/** What an automation would do: any of its webhook triggers suffices, and a disabled one starts nothing. */
export function judgeAutomation(automation: AutomationDefinition, payload: unknown): FilterVerdict {
  const triggers = automation.triggers.filter(isWebhookTrigger);
  const explanations = triggers.map((trigger) => explainFilter(trigger.payload ?? {}, payload));
  const deciding = explanations.find(({ matched }) => matched) ?? explanations[0];
  if (deciding === undefined) return refuse([], `The automation ${automation.name} has no webhook trigger.`);
  return automation.enabled
    ? toVerdict(deciding)
    : refuse(deciding.trace, `The automation ${automation.name} is disabled.`);
}

/** A filter as a file holds it: JSON, or YAML as in front matter. */
export function parseFilterText(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const document = parseDocument(text, { uniqueKeys: true, logLevel: 'silent' });
    const [problem] = document.errors;
    if (problem === undefined) return document.toJS({ maxAliasCount: 100 });
    throw new CliError(`${file} is neither valid JSON nor valid YAML.`, { hint: problem.message, cause: problem });
  }
}

function explainFilter(filter: unknown, payload: unknown): Explanation {
  const parsed = parsePattern(filter);
  if (parsed.ok) return compilePattern(parsed.pattern).explain(payload);
  const lines = parsed.problems.map(({ path, message, hint }) => `  ${formatPlace(path)}${message} ${hint}`);
  throw new CliError('The filter is invalid, so it would never match.', { hint: lines.join('\n') });
}

function formatPlace(path: readonly (string | number)[]): string {
  return path.length === 0 ? '' : `${path.join('.')}: `;
}

function toVerdict({ matched, trace, decidedBy }: Explanation): FilterVerdict {
  if (!matched) return { ...refuse(trace, decidedBy?.message ?? ''), decided_by: decidedBy?.path ?? null };
  const message =
    trace.length === 0 ? 'The filter is empty: it matches every payload.' : 'Every key of the filter matched.';
  return { verdict: 'Would trigger', trace, decided_by: null, message };
}

function refuse(trace: FilterVerdict['trace'], message: string): FilterVerdict {
  return { verdict: 'Would not trigger', trace, decided_by: null, message };
}
