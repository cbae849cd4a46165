import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseWrittenFilter } from '../../src/definitions/filter/parse-filter.ts';
import { PATTERN_RULES, parsePattern } from '../../src/definitions/filter/parse-pattern.ts';
import { PATTERN_LIMITS } from '../../src/definitions/filter/pattern.ts';
import { compilePayload } from '../helpers/payload-filter.ts';

interface Example {
  filter: unknown;
  matches?: unknown[];
  'does not match'?: { payload: unknown; because: string }[];
  problems?: string[];
}

const page = readFileSync(new URL('../../docs/reference/payload-filter.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map((block) => {
  const line = page.slice(0, block.index).split('\n').length;
  return { line, example: parse(block[1] ?? '') as Example };
});

function compile(filter: unknown) {
  const parsed = parsePattern(filter);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return compilePayload(parsed.pattern);
}

test('the page has worked examples, each with an expectation', () => {
  expect(examples.length).toBeGreaterThan(20);
  for (const { example } of examples) {
    const keys = Object.keys(example);
    expect(keys).toContain('filter');
    expect(keys.length).toBeGreaterThan(1);
    expect(['filter', 'matches', 'does not match', 'problems']).toEqual(expect.arrayContaining(keys));
  }
});

describe.each(examples)('the example in line $line', ({ example }) => {
  // Wrapped, because vitest spreads a payload that is an array into arguments.
  test.each((example.matches ?? []).map((payload) => ({ payload })))('matches $payload', ({ payload }) => {
    const pattern = compile(example.filter);
    expect(pattern.matches(payload)).toBe(true);
    expect(pattern.explain(payload).matched).toBe(true);
  });

  test.each(example['does not match'] ?? [])('does not match $payload', ({ payload, because }) => {
    const pattern = compile(example.filter);
    expect(pattern.matches(payload)).toBe(false);
    expect(pattern.explain(payload).decidedBy?.message).toBe(because);
  });

  if (example.problems === undefined) return;
  test('has the problems listed', () => {
    const parsed = parseWrittenFilter({ payload: example.filter });
    expect(parsed.ok ? [] : parsed.problems.map((problem) => problem.rule)).toEqual(example.problems);
  });
});

test('the page lists exactly the rules that a filter can violate', () => {
  const listed = [...page.matchAll(/^\| `(filter\/[a-z-]+)` \|/gm)].map((row) => row[1]);
  expect(listed).toEqual(Object.keys(PATTERN_RULES));
});

test('the page contains the actual limits', () => {
  const rows = [...page.matchAll(/^\| (levels|leaf fields|values) \| (\d+) \|/gm)].map((row) => [
    row[1],
    Number(row[2]),
  ]);
  expect(rows).toEqual([
    ['levels', PATTERN_LIMITS.maxLevels],
    ['leaf fields', PATTERN_LIMITS.maxLeaves],
    ['values', PATTERN_LIMITS.maxValues],
  ]);
});
