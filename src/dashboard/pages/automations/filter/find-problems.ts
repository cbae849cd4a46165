import { jsonLanguage } from '@codemirror/lang-json';
import { testFilter } from '../../../api/automations.ts';
import { RequestFailed } from '../../../api/problem.ts';
import { findRepeatedKeys, locateProblem, type TextRange } from './locate-problem.ts';
import { parseFilter } from './parse-filter.ts';

/** Something wrong with a text, at its place. */
export interface TextProblem extends TextRange {
  severity: 'error' | 'warning';
  message: string;
}

/** All that is wrong with a payload filter: its JSON is judged here, its grammar by the daemon. */
export async function findFilterProblems(factory: string, text: string): Promise<TextProblem[]> {
  const parsed = parseFilter(text);
  if (parsed.kind === 'none') return [];
  if (parsed.kind === 'broken') return findSyntaxProblems(text);
  const repeated = findRepeatedKeys(text).map(({ from, to, key }): TextProblem => {
    return {
      from,
      to,
      severity: 'warning',
      message: `${JSON.stringify(key)} stands here twice: only the last counts.`,
    };
  });
  try {
    await testFilter(factory, parsed.filter, { payload: null });
    return repeated;
  } catch (error) {
    return [...repeated, ...readGrammarProblems(error, text)];
  }
}

/** What keeps a text from being JSON; nothing for a blank one. */
export function findSyntaxProblems(text: string): TextProblem[] {
  try {
    if (text.trim() !== '') JSON.parse(text);
    return [];
  } catch (error) {
    const from = findBreak(text);
    const message = error instanceof Error ? error.message : String(error);
    return [{ from, to: Math.min(from + 1, text.length), severity: 'error', message: `Invalid JSON: ${message}.` }];
  }
}

/** Where the parser of the editor says that JSON ends; browsers word their errors differently and not all name a place. */
function findBreak(text: string): number {
  let place = text.length;
  jsonLanguage.parser.parse(text).iterate({
    enter: ({ type, from }) => {
      if (type.isError) place = Math.min(place, from);
    },
  });
  return place;
}

function readGrammarProblems(error: unknown, text: string): TextProblem[] {
  if (!(error instanceof RequestFailed)) throw error;
  const { code, errors, detail } = error.problem;
  // Anything else than a verdict on the filter is no fault of the text.
  if (code !== 'invalid_filter') return [];
  const found = (errors ?? []).map(({ pointer, detail: message }): TextProblem => {
    const place = locateProblem(text, pointer.replace(/^#\/filter/, '#'));
    return { ...place, severity: 'error', message };
  });
  return found.length > 0 ? found : [{ from: 0, to: text.length, severity: 'error', message: detail }];
}
