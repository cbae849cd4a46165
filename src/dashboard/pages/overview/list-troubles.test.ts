import { describe, expect, it } from 'vitest';
import type { Condition } from '../../api/types.ts';
import { describeTrouble, listTroubles } from './list-troubles.ts';

const make = (type: string, status: Condition['status']): Condition => ({
  ...{ type, status, reason: 'R', message: 'm', since: '2026-01-01T00:00:00.000Z' },
});
const typesOf = (conditions: Condition[]) => listTroubles(conditions).map(({ type }) => type);

describe('troubles', () => {
  it('are what should be true and is not, and what is there only when something is wrong', () => {
    expect(typesOf([make('Ready', 'True'), make('Reconciled', 'False'), make('NoExecutor', 'True')])).toEqual([
      'Reconciled',
      'NoExecutor',
    ]);
    expect(typesOf([make('Ready', 'True'), make('Reconciled', 'True'), make('NoExecutor', 'False')])).toEqual([]);
  });

  it('come with the grave ones first', () => {
    expect(typesOf([make('NotifyFailing', 'True'), make('Ready', 'False')])).toEqual(['Ready', 'NotifyFailing']);
  });

  it('count what is not known for sure, and kinds that this page has no words for', () => {
    expect(typesOf([make('Ready', 'Unknown'), make('FromTheFuture', 'True')])).toEqual(['Ready', 'FromTheFuture']);
  });

  it('do not promise that something goes on where nothing was ever live', () => {
    const { title, advice } = describeTrouble(make('Reconciled', 'False'), false);
    expect([title, advice]).toEqual(['The definition did not apply', 'Nothing goes live before it does.']);
    expect(describeTrouble(make('Reconciled', 'False'), true).advice).toBe('What was live before goes on.');
  });
});
