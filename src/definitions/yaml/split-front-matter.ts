import type { Position } from '../../domain/definitions/diagnostic.ts';
import type { RuleId } from '../../domain/rules.ts';

export type FrontMatter =
  | {
      ok: true;
      yaml: string;
      /** Number of lines of the file before `yaml`. */
      linesBefore: number;
      /** The text after the closing line, without one empty line. */
      body: string;
      /** The line after the closing `---`. */
      bodyAt: Position;
    }
  | { ok: false; rule: RuleId; at: Position; message: string; hint: string };

const OPENING_LINE = /^---[ \t]*(?:\r?\n|$)/;
// Not the flag `m`: with it, `^` would also match after a line separator inside the text of a value.
const CLOSING_LINE = /(?<![^\n])---[ \t]*(?:\r?\n|\r?$)/;

/**
 * Splits the text of an automation. The first line must be `---`. The next `---` line ends the front matter; later ones belong
 * to the prompt. One empty line after the front matter is removed; the prompt is otherwise unchanged.
 */
export function splitFrontMatter(text: string): FrontMatter {
  const opening = OPENING_LINE.exec(text);
  if (opening === null) return describeMissing(text);
  const rest = text.slice(opening[0].length);
  const closing = CLOSING_LINE.exec(rest);
  const yaml = rest.slice(0, closing?.index);
  const dots = findDots(yaml);
  if (dots !== null) return describeDots(dots);
  if (closing === null) return describeUnclosed();
  const body = rest.slice(closing.index + closing[0].length).replace(/^\r?\n/, '');
  return { ok: true, yaml, linesBefore: 1, body, bodyAt: { line: yaml.split('\n').length + 2, column: 1 } };
}

/** The line `...` ends a document of YAML. Some tools accept it as the end of front matter. */
const DOTS_LINE = /(?<![^\n])\.\.\.[ \t]*\r?\n(?=(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*[^\s#])/;

/** The line of the file with `...`, if other text than comments follows it. */
function findDots(yaml: string): number | null {
  const dots = DOTS_LINE.exec(yaml);
  return dots === null ? null : yaml.slice(0, dots.index).split('\n').length + 1;
}

function describeDots(line: number): FrontMatter {
  const message = 'The front matter ends with "...", but its closing line is "---".';
  const hint = 'Replace "..." with "---".';
  return { ok: false, rule: 'front-matter/not-closed', at: { line, column: 1 }, message, hint };
}

function describeMissing(text: string): FrontMatter {
  const message = text.trim() === '' ? 'The file is empty.' : 'The file does not start with front matter.';
  const hint = 'Write "---" in the first line, then the keys (triggers, …), then a line "---", then the prompt.';
  return { ok: false, rule: 'front-matter/missing', at: { line: 1, column: 1 }, message, hint };
}

function describeUnclosed(): FrontMatter {
  const message = 'The front matter that starts here has no closing line.';
  const hint = 'Add a line "---" between the keys and the prompt.';
  return { ok: false, rule: 'front-matter/not-closed', at: { line: 1, column: 1 }, message, hint };
}
