import { describe, expect, it } from 'vitest';
import type { CommitReport } from '../../domain/messages/notice.ts';
import { describeReport } from './describe-report.ts';

const REVISION = '0123456789abcdef0123456789abcdef01234567';
const LIVE = 'fedcba9876543210fedcba9876543210fedcba98';

function report(more: Partial<CommitReport>): CommitReport {
  return {
    reconciliation: 'rec_1',
    result: 'applied',
    state: 'success',
    reason: 'Applied',
    message: '',
    liveRevision: REVISION,
    diagnostics: [],
    diagnosticCount: 0,
    finishedAt: 0,
    ...more,
  };
}

const warning = {
  severity: 'warning' as const,
  rule: 'webhook/weak-secret',
  file: 'webhooks/a.yaml',
  line: 1,
  column: 13,
  path: 'secretName',
  message: 'the secret is weak',
  hint: '',
};

describe('describeReport', () => {
  it('names the commit that is live, and what was warned of', () => {
    expect(describeReport(report({}), 140)).toBe('0123456789ab is live');
    const warned = report({ diagnostics: [warning], diagnosticCount: 3 });
    expect(describeReport(warned, 140)).toBe(
      '0123456789ab is live, with 3 warnings: webhooks/a.yaml:1:13: the secret is weak',
    );
  });

  it('names file, line and what stays live', () => {
    const failed = report({ state: 'failure', message: 'webhooks/a.yaml:3:5: unknown key', liveRevision: LIVE });
    expect(describeReport(failed, 140)).toBe('webhooks/a.yaml:3:5: unknown key; fedcba987654 stays live');
    expect(describeReport({ ...failed, state: 'error', liveRevision: null }, 140)).toBe(
      'webhooks/a.yaml:3:5: unknown key; retrying; nothing is live yet',
    );
  });

  it.each([140, 255])('fits into %i, and keeps both ends', (maxLength) => {
    const message = `webhooks/a.yaml:3:5: ${'\u{1f514}'.repeat(200)}`;
    const text = describeReport(report({ state: 'failure', message, liveRevision: LIVE }), maxLength);
    expect(text.length).toBeLessThanOrEqual(maxLength);
    expect(text).toMatch(/^webhooks\/a\.yaml:3:5: .*…; fedcba987654 stays live$/su);
    expect(Buffer.from(text).toString()).toBe(text);
  });

  it('writes out what would break the line', () => {
    const text = describeReport(report({ state: 'failure', message: 'a\nb\u202e' }), 140);
    expect(text).toMatch(/^a\\nb\\u\{202e\};/);
  });
});
