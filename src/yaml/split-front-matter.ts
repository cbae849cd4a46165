import type { Position } from '../core/diagnostic.ts';
import type { RuleId } from '../core/rules.ts';

export type FrontMatter =
  | {
      ok: true;
      yaml: string;
      /** How many lines of the file stand before `yaml`. */
      linesBefore: number;
      /** All that follows the closing line and its line break, less one empty line. */
      body: string;
      /** The line after the closing `---`. */
      bodyAt: Position;
    }
  | { ok: false; rule: RuleId; at: Position; message: string; hint: string };

const OPENING_LINE = /^---[ \t]*(?:\r?\n|$)/;
// Not the flag `m`: with it, `^` would also match after a line separator inside the text of a value.
const CLOSING_LINE = /(?<![^\n])---[ \t]*(?:\r?\n|\r?$)/;

/**
 * Splits the text of an automation. The first line must be `---`; the next line that is `---` ends the front matter,
 * later ones belong to the prompt. One empty line between the two is layout; the prompt is kept as it is.
 */
export function splitFrontMatter(text: string): FrontMatter {
  const opening = OPENING_LINE.exec(text);
  if (opening === null) return describeMissing(text);
  const rest = text.slice(opening[0].length);
  const closing = CLOSING_LINE.exec(rest);
  if (closing === null) return describeUnclosed();
  const yaml = rest.slice(0, closing.index);
  const body = rest.slice(closing.index + closing[0].length).replace(/^\r?\n/, '');
  return { ok: true, yaml, linesBefore: 1, body, bodyAt: { line: yaml.split('\n').length + 2, column: 1 } };
}

function describeMissing(text: string): FrontMatter {
  const message = text.trim() === '' ? 'The file is empty.' : 'The file does not begin with front matter.';
  const hint = 'Make the first line "---", then the keys (triggers, …), then a line "---", then the prompt.';
  return { ok: false, rule: 'front-matter/missing', at: { line: 1, column: 1 }, message, hint };
}

function describeUnclosed(): FrontMatter {
  const message = 'The front matter that begins here is never closed.';
  const hint = 'Put a line "---" between the keys and the prompt.';
  return { ok: false, rule: 'front-matter/not-closed', at: { line: 1, column: 1 }, message, hint };
}
