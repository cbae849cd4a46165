import { describe, expect, it } from 'vitest';
import type { Condition } from '../../api/types.ts';
import { describeTrouble, listTroubles } from './list-troubles.ts';

const make = (type: string, severity: Condition['severity']): Condition => ({
  ...{ type, severity, status: 'True', reason: 'R', message: 'm', since: '2026-01-01T00:00:00.000Z' },
});
const typesOf = (conditions: Condition[]) => listTroubles(conditions).map(({ type }) => type);

describe('troubles', () => {
  it('are the conditions that the daemon rates as warning or error', () => {
    expect(typesOf([make('Ready', 'ok'), make('Reconciled', 'error'), make('NoExecutor', 'warning')])).toEqual([
      'Reconciled',
      'NoExecutor',
    ]);
    expect(typesOf([make('Ready', 'ok'), make('Reconciled', 'ok'), make('NoExecutor', 'ok')])).toEqual([]);
  });

  it('come with the grave ones first', () => {
    expect(typesOf([make('NotifyFailing', 'warning'), make('Ready', 'error')])).toEqual(['Ready', 'NotifyFailing']);
  });

  it('include types that this page has no words for', () => {
    expect(typesOf([make('Ready', 'warning'), make('FromTheFuture', 'warning')])).toEqual(['Ready', 'FromTheFuture']);
  });

  it('do not promise that something goes on where nothing was ever live', () => {
    const { title, advice } = describeTrouble(make('Reconciled', 'error'), false);
    expect([title, advice]).toEqual(['The definition did not apply', 'Nothing goes live before it does.']);
    expect(describeTrouble(make('Reconciled', 'error'), true).advice).toBe('What was live before goes on.');
  });
});
