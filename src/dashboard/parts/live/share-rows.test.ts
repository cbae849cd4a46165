import { expect, it } from 'vitest';
import { sharePage, shareRows } from './share-rows.ts';

it('keeps the objects of unchanged rows when a new row moves them', () => {
  const before = [
    { id: 'run_2', state: 'running', runs: ['a'] },
    { id: 'run_1', state: 'queued', runs: [] },
  ];
  const [added, second, first] = shareRows(before, [
    { id: 'run_3', state: 'queued', runs: [] },
    { id: 'run_2', state: 'running', runs: ['a'] },
    { id: 'run_1', state: 'failed', runs: [] },
  ]);
  expect(added).toEqual({ id: 'run_3', state: 'queued', runs: [] });
  expect(second).toBe(before[0]);
  expect(first).toEqual({ id: 'run_1', state: 'failed', runs: [] });
});

it('keeps the page if nothing has changed', () => {
  const before = { data: [{ id: 'run_1', state: 'queued' }], next_cursor: 'abc' };
  expect(sharePage(before, structuredClone(before))).toBe(before);
  expect(sharePage(before, { ...structuredClone(before), next_cursor: null })).toEqual({
    ...before,
    next_cursor: null,
  });
  expect(sharePage(before, { data: [], next_cursor: 'abc' })).toEqual({ data: [], next_cursor: 'abc' });
});
