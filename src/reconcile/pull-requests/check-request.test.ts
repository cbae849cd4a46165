import { describe, expect, it } from 'vitest';
import { EMPTY_PLAN } from '../../domain/applies/plan.ts';
import type { PlanPreview } from '../../domain/applies/plan-preview.ts';
import { createFileEntry, type SourceTree } from '../../domain/definitions/source-tree.ts';
import type { PreviewOrder } from '../preview-plan.ts';
import type { RequestTreesResult } from '../source/request-heads.ts';
import { type CheckOrder, checkRequest } from './check-request.ts';

const tree = (text: string): SourceTree => ({
  prefix: '',
  entries: [createFileEntry('webhooks/ci.yaml', new TextEncoder().encode(text))],
});
const example = {
  delivery: 'dlv_1',
  webhook: 'wh_1',
  receivedAt: 0,
  path: 'email',
  message: 'email is "ann@example.com"',
};
const preview = {
  valid: true,
  appliedRevision: null,
  plan: EMPTY_PLAN,
  triggers: [],
  agentFiles: { create: [], update: [], delete: [] },
  missingSecrets: [],
  diagnostics: [],
  backtest: {
    since: 0,
    until: 604_800_000,
    stored: 2,
    examined: 2,
    automations: [
      {
        automation: 'triage',
        examined: 2,
        before: 1,
        after: 1,
        gained: [example],
        lost: [example],
        gainedCount: 1,
        lostCount: 1,
        unrecorded: 0,
      },
    ],
  },
} as unknown as PlanPreview;
const touched: RequestTreesResult = { ok: true, head: tree('b'), production: tree('a'), base: tree('a') };

async function check(order: Partial<CheckOrder> = {}, read: RequestTreesResult = touched) {
  const asked: PreviewOrder[] = [];
  const parts = {
    read: async () => read,
    preview: async (question: PreviewOrder) => {
      asked.push(question);
      return preview;
    },
    onTouched: () => {},
  };
  const complete: CheckOrder = {
    factory: 'payments',
    head: { number: 7, commit: 'a'.repeat(40), ref: 'refs/pull/7/head' },
    prefix: '',
    open: [7],
    branch: 'main',
    isFork: false,
    hasBacktest: true,
    ...order,
  };
  return { result: await checkRequest(parts, complete), asked };
}

describe('checkRequest', () => {
  it('shows numbers and IDs of the backtest, and no value of a payload', async () => {
    const { result } = await check();
    expect(result).toMatchObject({ outcome: 'checked', state: 'success', comment: expect.stringContaining('`dlv_1`') });
    expect(JSON.stringify(result)).not.toContain('ann@example.com');
  });

  it.each([
    [{ isFork: false }, true],
    [{ isFork: true }, false],
    [{ hasBacktest: false }, false],
  ])('%o evaluates stored deliveries: %s', async (order, hasBacktest) => {
    const { asked } = await check(order);
    expect(asked).toEqual([expect.objectContaining({ hasBacktest, mayCheckSecrets: false })]);
  });

  it('plans nothing for a head that changes nothing of the factory', async () => {
    const { result, asked } = await check({}, { ok: true, head: tree('a'), production: tree('b'), base: tree('a') });
    expect([result, asked]).toEqual([{ outcome: 'untouched' }, []]);
  });

  it.each(['TreeOdd', 'TreeTooLarge', 'FetchTooLarge'] as const)('fails a head for %s', async (reason) => {
    const { result } = await check({}, { ok: false, reason, message: 'It is too much.' });
    expect(result).toMatchObject({ outcome: 'checked', state: 'failure', description: 'It is too much.' });
  });

  it.each(['RepositoryUnreachable', 'FetchTimeout', 'Moved'] as const)('repeats the check after %s', async (reason) => {
    const { result } = await check({}, { ok: false, reason, message: 'later' });
    expect(result).toEqual({ outcome: 'unread', message: 'later' });
  });
});
