import { expect, it } from 'vitest';
import { listComparison } from './decision-steps.ts';

it('lists no comparison for a push of a tag, whose event has no value', () => {
  expect(listComparison({ path: 'event', expected: true, actual: [] })).toEqual([]);
});

it('lists the key, the expected and the actual value of other decisions', () => {
  const facts = [
    { name: 'Key', value: 'event' },
    { name: 'Expected', value: '["push"]' },
    { name: 'Actual', value: '"issues"' },
  ];
  expect(listComparison({ path: 'event', expected: ['push'], actual: 'issues' })).toEqual(facts);
  expect(listComparison({ path: null, expected: null, actual: null })).toEqual([]);
});
