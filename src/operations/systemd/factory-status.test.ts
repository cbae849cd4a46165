import { expect, it } from 'vitest';
import { createFactoryStatus } from './factory-status.ts';

function follow(names: string[]) {
  const shown: string[] = [];
  const listen = createFactoryStatus(
    () => names.map((name) => ({ name })),
    (text) => shown.push(text),
  );
  return { listen, last: () => shown.at(-1) };
}

it('names the factories that are not reconciled, with the reason of their last pass', () => {
  const { listen, last } = follow(['a', 'b']);
  listen({ factory: 'a', result: 'unchanged', reason: 'Unchanged' });
  expect(last()).toBe('2 factories, 1 not reconciled: b (no pass yet)');
  listen({ factory: 'b', result: 'failed', reason: 'RepositoryMissing' });
  expect(last()).toBe('2 factories, 1 not reconciled: b (RepositoryMissing)');
  listen({ factory: 'b', result: 'applied', reason: 'Applied' });
  expect(last()).toBe('2 factories reconciled');
});

it('names only the first three of many', () => {
  const { listen, last } = follow(['a', 'b', 'c', 'd', 'e', 'f']);
  listen({ factory: 'a', result: 'invalid', reason: 'ValidationFailed' });
  const first = 'a (ValidationFailed), b (no pass yet), c (no pass yet)';
  expect(last()).toBe(`6 factories, 6 not reconciled: ${first}, 3 more`);
});
