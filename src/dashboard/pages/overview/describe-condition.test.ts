import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../client/api-types.ts';
import { describeCondition, listActiveConditions } from './describe-condition.ts';

const make = (type: string, severity: Condition['severity']): Condition => ({
  type,
  severity,
  status: 'True',
  reason: 'R',
  reason_text: 'Why.',
  message: 'm',
  since: '2026-01-01T00:00:00.000Z',
});
const typesOf = (conditions: Condition[]) => listActiveConditions(conditions).map(({ type }) => type);

describe('listActiveConditions', () => {
  it('returns conditions with the severity warning or error', () => {
    expect(typesOf([make('Ready', 'ok'), make('Reconciled', 'error'), make('NoExecutor', 'warning')])).toEqual([
      'Reconciled',
      'NoExecutor',
    ]);
    expect(typesOf([make('Ready', 'ok'), make('Reconciled', 'ok'), make('NoExecutor', 'ok')])).toEqual([]);
  });

  it('puts severe conditions first', () => {
    expect(typesOf([make('NotifyFailing', 'warning'), make('Ready', 'error')])).toEqual(['Ready', 'NotifyFailing']);
  });

  it('includes unknown condition types', () => {
    expect(typesOf([make('Ready', 'warning'), make('FromTheFuture', 'warning')])).toEqual(['Ready', 'FromTheFuture']);
  });

  it('does not mention a previous definition if none was applied', () => {
    const { title, advice } = describeCondition(make('Reconciled', 'error'), false);
    expect([title, advice]).toEqual([
      'The definition was not applied',
      'Nothing is live until a definition is applied.',
    ]);
    expect(describeCondition(make('Reconciled', 'error'), true).advice).toBe('The previous definition stays live.');
  });
});
