import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parsePattern } from '../../src/definitions/filter/parse-pattern.ts';
import { compilePayload } from '../helpers/payload-filter.ts';

const file = new URL('../vectors/naughty-strings/blns.json', import.meta.url);
const strings = [...new Set<string>(JSON.parse(readFileSync(file, 'utf8')))];

function compile(filter: unknown) {
  const parsed = parsePattern(filter);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return compilePayload(parsed.pattern);
}

test('the list is there', () => {
  expect(strings.length).toBeGreaterThan(510);
});

test('a filter for one naughty string matches exactly that string and no other', () => {
  for (const [index, wanted] of strings.entries()) {
    const pattern = compile({ v: [wanted] });
    const matched = strings.flatMap((text, at) =>
      pattern.matches(JSON.parse(JSON.stringify({ v: text }))) ? [at] : [],
    );
    expect(matched).toEqual([index]);
  }
});

test('a filter whose key is a naughty string reads exactly that key', () => {
  for (const [index, key] of strings.entries()) {
    const pattern = compile(Object.fromEntries([[key, { exists: true }]]));
    const matched = strings.flatMap((text, at) => (pattern.matches(Object.fromEntries([[text, 1]])) ? [at] : []));
    expect(matched).toEqual([index]);
  }
});

test('an explanation shows naughty strings on one line without control characters', () => {
  for (const text of strings) {
    const { decidedBy } = compile(Object.fromEntries([[text, ['expected']]])).explain(
      Object.fromEntries([[text, text]]),
    );
    expect(decidedBy?.message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
  }
});
