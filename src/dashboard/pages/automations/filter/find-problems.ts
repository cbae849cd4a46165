import { jsonLanguage } from '@codemirror/lang-json';
import { RequestFailed } from '../../../../client/read-answer.ts';
import { testFilter } from '../../../api/automations.ts';
import { findRepeatedKeys, locateProblem, type TextRange } from './locate-problem.ts';
import { parseFilter } from './parse-filter.ts';

/** A problem at a position of the text. */
export interface TextProblem extends TextRange {
  severity: 'error' | 'warning';
  message: string;
}

/** All problems of a payload filter. JSON syntax is checked here, the filter grammar by the daemon. */
export async function findFilterProblems(factory: string, text: string): Promise<TextProblem[]> {
  const parsed = parseFilter(text);
  if (parsed.kind === 'none') return [];
  if (parsed.kind === 'broken') return findSyntaxProblems(text);
  const repeated = findRepeatedKeys(text).map(({ from, to, key }): TextProblem => {
    return {
      from,
      to,
      severity: 'warning',
      message: `The key ${JSON.stringify(key)} is duplicated. Only the last one is used.`,
    };
  });
  try {
    await testFilter(factory, { filter: parsed.filter }, { payload: null });
    return repeated;
  } catch (error) {
    return [...repeated, ...readGrammarProblems(error, text)];
  }
}

/** JSON syntax errors; none for a blank text. */
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

/** The position of the syntax error by the editor's parser, because error messages differ between browsers. */
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
  // Other errors, such as a lost connection, are not problems of the text.
  if (code !== 'invalid_filter') return [];
  const found = (errors ?? []).map(({ pointer, detail: message }): TextProblem => {
    const place = locateProblem(text, pointer.replace(/^#\/filter/, '#'));
    return { ...place, severity: 'error', message };
  });
  return found.length > 0 ? found : [{ from: 0, to: text.length, severity: 'error', message: detail }];
}
