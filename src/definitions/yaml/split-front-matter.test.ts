import { describe, expect, it } from 'vitest';
import { splitFrontMatter } from './split-front-matter.ts';

describe('splitFrontMatter', () => {
  it.each([
    ['the usual form', '---\na: 1\n---\n\nDo it.\n', 'a: 1\n', 'Do it.\n', 4],
    ['no empty line', '---\na: 1\n---\nDo it.', 'a: 1\n', 'Do it.', 4],
    ['two empty lines', '---\na: 1\n---\n\n\nDo it.', 'a: 1\n', '\nDo it.', 4],
    ['carriage returns', '---\r\na: 1\r\n---\r\n\r\nDo it.\r\n', 'a: 1\r\n', 'Do it.\r\n', 4],
    ['blanks behind the dashes', '--- \na: 1\n---\t\nDo it.', 'a: 1\n', 'Do it.', 4],
    ['a rule in the prompt', '---\na: 1\n---\nA\n---\nB\n', 'a: 1\n', 'A\n---\nB\n', 4],
    ['the end of the file', '---\na: 1\n---', 'a: 1\n', '', 4],
    ['nothing between', '---\n---\nDo it.', '', 'Do it.', 3],
    ['dashes inside a line', '---\na: b---\n ---\n----\n---\nX', 'a: b---\n ---\n----\n', 'X', 6],
    ['dots at the end', '---\na: 1\n...\n# c\n\n---\nX', 'a: 1\n...\n# c\n\n', 'X', 7],
    ['a line separator is not a line break', '---\na: "\u2028---\n---\nX', 'a: "\u2028---\n', 'X', 4],
  ])('splits %s', (_, text, yaml, body, line) => {
    expect(splitFrontMatter(text)).toEqual({ ok: true, yaml, body, linesBefore: 1, bodyAt: { line, column: 1 } });
  });

  it.each([
    ['---\na: 1\n...\nDo it.\n', 3],
    ['---\r\na: 1\r\nb: 2\r\n... \r\n\r\n# Task\r\n\r\nDo it.\r\n---\r\nMore.', 4],
  ])('names the line with dots that cannot close %j', (text, line) =>
    expect(splitFrontMatter(text)).toMatchObject({
      ok: false,
      rule: 'front-matter/not-closed',
      at: { line, column: 1 },
      message: 'The front matter ends with "...", but its closing line is "---".',
    }),
  );

  it.each([
    ['', 'front-matter/missing'],
    ['Do it.', 'front-matter/missing'],
    [' ---\na: 1\n---\n', 'front-matter/missing'],
    ['----\na: 1\n---\n', 'front-matter/missing'],
    ['---', 'front-matter/not-closed'],
    ['---\na: 1\n...\nDo it.', 'front-matter/not-closed'],
    ['---\na: 1\n --- \nDo it.', 'front-matter/not-closed'],
    ['---\na: 1\n...\n# c\n\n\n', 'front-matter/not-closed'],
  ])('rejects %j', (text, rule) => expect(splitFrontMatter(text)).toMatchObject({ ok: false, rule }));
});
