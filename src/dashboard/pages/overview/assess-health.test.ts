import { describe, expect, it } from 'vitest';
import type { Activity, Condition, Factory, Webhook } from '../../../client/api-types.ts';
import { assessHealth, listFindings } from './assess-health.ts';

const NO_DELIVERIES = {
  Accepted: 0,
  Duplicate: 0,
  'Rejected (auth)': 0,
  'Rejected (invalid JSON)': 0,
  'Rejected (too large)': 0,
};
const NO_RUNS = { queued: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0 };

type Bucket = Activity['buckets'][number];
const bucket = (deliveries: Partial<Bucket['deliveries']>, runs: Partial<Bucket['runs']>): Bucket => ({
  start: '2026-01-01T00:00:00.000Z',
  deliveries: { ...NO_DELIVERIES, ...deliveries },
  runs: { ...NO_RUNS, ...runs },
});
const condition = (type: string, severity: Condition['severity']): Condition => ({
  type,
  severity,
  status: 'True',
  reason: 'R',
  reason_text: 'Why.',
  message: 'm',
  since: '2026-01-01T00:00:00.000Z',
});
const factory = (...conditions: Condition[]) => ({ name: 'payments', conditions }) as Factory;
const activity = (...buckets: Bucket[]) => ({ buckets }) as Activity;
const webhook = (secret_state: Webhook['secret_state'], enabled = true) => ({ secret_state, enabled }) as Webhook;

describe('the health of a factory', () => {
  it('is healthy if all conditions are good and nothing failed', () => {
    const quiet = activity(bucket({ Accepted: 3, Duplicate: 1 }, { succeeded: 3, cancelled: 1 }));
    const findings = listFindings(factory(), quiet, [webhook('current'), webhook('missing', false)]);
    expect(findings).toEqual([]);
    expect(assessHealth(factory(condition('Ready', 'ok')), findings)).toBe('healthy');
  });

  it('is degraded by failed runs, rejected deliveries and old secrets', () => {
    const busy = activity(
      bucket({ 'Rejected (auth)': 15 }, { succeeded: 40, failed: 9 }),
      bucket({ 'Rejected (auth)': 1, 'Rejected (too large)': 1 }, { succeeded: 5, failed: 1 }),
    );
    const findings = listFindings(factory(), busy, [webhook('outdated'), webhook('outdated'), webhook('missing')]);
    expect(findings.map(({ title }) => title)).toEqual([
      '10 of 55 runs failed in the last 24 hours',
      '16 deliveries rejected (auth) in the last 24 hours',
      '1 delivery rejected (too large) in the last 24 hours',
      '2 webhooks use an older version of the secret',
      '1 webhook uses a secret that was deleted',
    ]);
    expect(findings[0]!.link.href).toBe('/factories/payments/runs?state=failed');
    expect(assessHealth(factory(condition('Ready', 'ok')), findings)).toBe('degraded');
  });

  it('depends on the severity of conditions', () => {
    expect(assessHealth(factory(condition('NoExecutor', 'warning')), [])).toBe('degraded');
    expect(assessHealth(factory(condition('NoExecutor', 'warning'), condition('Ready', 'error')), [])).toBe('failing');
  });
});
