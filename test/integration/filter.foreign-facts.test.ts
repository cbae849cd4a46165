import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parsePattern } from '../../src/definitions/filter/parse-pattern.ts';
import { compilePayload } from '../helpers/payload-filter.ts';

interface Fact {
  id: string;
  name?: string;
  event: unknown;
  dockbell: { usable: boolean; filter: unknown; expect: boolean; open?: true };
}

const facts = readFileSync(new URL('../vectors/filter-facts/facts.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Fact)
  .filter((fact) => fact.dockbell.usable);

test('all facts of the file are run', () => {
  expect(facts).toHaveLength(166);
});

describe.each(facts)('$id $name', ({ event, dockbell }) => {
  const parsed = parsePattern(dockbell.filter);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const compiled = compilePayload(parsed.pattern);

  test(`the filter ${dockbell.expect ? 'matches' : 'does not match'}`, () => {
    expect(compiled.matches(event)).toBe(dockbell.expect);
    expect(compiled.explain(event).matched).toBe(dockbell.expect);
  });
});

// Rows that their authors left open are settled by the decisions: arrays inside arrays are not descended into (f0099
// to f0108), and not_in passes on an object, since no value of it is listed (f0156).
test('the rows marked open are exactly those that docs/reference/payload-filter.md settles', () => {
  const open = facts.filter((fact) => fact.dockbell.open).map((fact) => fact.id);
  expect(open).toEqual(['f0099', 'f0100', 'f0101', 'f0102', 'f0103', 'f0104', 'f0106', 'f0107', 'f0108', 'f0156']);
});
