import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseYaml } from './parse-yaml.ts';

/** As many as are listed for a file. */
const MAX_DESCRIBED = 200;

function problemsOf(text: string): string[] {
  const parsed = parseYaml(text);
  const problems = parsed.ok ? [] : parsed.problems.slice(0, MAX_DESCRIBED).map((describeProblem) => describeProblem());
  return problems.map(({ at, message, hint }) => `${at.line}:${at.column} ${message} ${hint}`);
}

const SUITE = readFileSync('test/vectors/yaml-test-suite/cases.jsonl', 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line): string => JSON.parse(line).yaml);

describe('the syntax of a text', () => {
  it.each([
    ['cron: * * * * *\nb: 1\n', '1:7', '"* * * * *"'],
    ['a: {cron: * * * * *, timezone: UTC}\n', '1:11', '"* * * * *"'],
    ['a:\n  - cron: */15 * * * * # often\n', '2:11', '"*/15 * * * *"'],
    ['- * 1,2 * * *\n', '1:3', '"* 1,2 * * *"'],
    ['cron: *\n', '1:7', '"*"'],
    ['text: *important* words\n', '1:7', '"*important* words"'],
  ])('has one problem if the star of a value is not in quotes: %j', (text, place, quoted) => {
    expect(problemsOf(text)).toEqual([
      `${place} The text is not valid YAML: a value that begins with "*" is an alias, unless it is in quotes. Quote the expression: ${quoted}.`,
    ]);
  });

  it('has other problems of a line with an alias', () => {
    expect(problemsOf('a: &x 1\nb: [*x, }\n').join('\n')).toMatch(/^2:9 .*in brackets is not closed/);
    expect(problemsOf('b: *none\n')).toEqual([expect.stringMatching(/alias \*none refers to an anchor that is not/)]);
  });

  it.each([
    ['a: "abc\nb: 1\n', '1:4', '"'],
    ["a: 'it''s\nb: 1\n", '1:4', "'"],
    ['a: [ "x, y ]\nb: 2\n', '1:6', '"'],
    ['a: "b \\" c\nd: {\n', '1:4', '"'],
    ["a: it's 'fine\nb: 'x''y\nc: d\n", '2:4', "'"],
  ])('has one problem where a quote begins that is not closed: %j', (text, place, quote) => {
    expect(problemsOf(text)).toEqual([expect.stringContaining(`${place} `)]);
    expect(problemsOf(text)[0]).toContain(`the text that begins with ${quote} has no closing ${quote}.`);
  });

  it.each([
    ['cron: @hourly\n', /cannot begin with "@"\. Put quotes/],
    ['a: [1, 2\nb: 3\n', /the list in brackets is not closed\. Add "\]"/],
    ['a: {b: 1\nc: 2\n', /the map in brackets is not closed\. Add "\}"/],
    ['a:\n  b: 1\n c: 2\n', /the indentation of this line differs/],
    ['a: "x" y\n', /text follows a value that is already complete/],
    ['a:b\nc: d\n', /the key has no ":" on its line/],
    ['a: - b\n', /Begin each entry of the list on a separate line/],
    ['a: "\\q"\n', /"\\\\q" is not an escape sequence/],
    ['a: {{ b }}\n', /cannot be a key\. Put quotes .* template/],
    ['a: !!foo b\n', /The value has the tag "!!foo", which is not supported\./],
  ])('is described in words of its users: %j', (text, says) => {
    expect(problemsOf(text)[0]).toMatch(says);
  });

  it('is never described in the words of the YAML library', () => {
    const words = /implicit|mapping|flow|scalar|node end|token|stream|indicator|ambiguous|Unresolved|compact/i;
    const described = SUITE.flatMap(problemsOf);
    expect(described.length).toBeGreaterThan(50);
    expect(described.filter((problem) => words.test(problem))).toEqual([]);
  });

  it('is described in linear time', { tags: 'full' }, () => {
    const size = 50_000;
    const texts = [
      `a: ${'[*a *,'.repeat(size)}`,
      'a: "x\n'.repeat(size),
      `a: ${"''".repeat(size)}'`,
      '- * *\n'.repeat(size),
    ];
    const begun = process.cpuUsage();
    for (const text of texts) problemsOf(text);
    expect(process.cpuUsage(begun).user).toBeLessThan(5_000_000);
  });
});
