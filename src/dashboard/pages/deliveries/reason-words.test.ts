import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeReason, REASON_WORDS } from './reason-words.ts';

it('Every reason that the reference lists has words of its own in the dashboard', () => {
  const reference = readFileSync(
    new URL('../../../../docs/reference/receiving-deliveries.md', import.meta.url),
    'utf8',
  );
  const table = /<!-- reasons -->(.*?)<!-- end -->/s.exec(reference)![1]!;
  const reasons = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, reason]) => reason);
  expect(reasons.length).toBeGreaterThan(15);
  expect(Object.keys(REASON_WORDS)).toEqual(reasons);
});

it('A reason without words stands for itself', () => {
  expect(describeReason('of_a_later_version')).toBe('of_a_later_version');
  expect(describeReason(null)).toBe('No reason was logged.');
});
