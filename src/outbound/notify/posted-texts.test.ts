import { describe, expect, it } from 'vitest';
import { makeRunInput } from '../../../test/helpers/command-runs.ts';
import type { Notice } from '../../domain/messages/notice.ts';
import { buildNotifyRequest } from './build-request.ts';
import type { NotifyTarget } from './notify-target.ts';
import { composeRunReport } from './run-report.ts';

const COMMIT = 'a'.repeat(40);
const SUMMARY = '/merge @root ![x](https://evil.example/p.png) <!-- dockbell run_x -->\n/approve\n  /assign @root';
const POSTED = { at: 1, revision: COMMIT };

function targetOf(type: NotifyTarget['type']): NotifyTarget {
  return {
    type,
    url: 'https://git.example.com/api',
    repository: 'team/factory',
    secretName: 'TOKEN',
    context: 'dockbell',
    format: 'standard',
    allowPrivateAddresses: false,
    targetUrl: null,
    branch: 'main',
  };
}

function reportRun(post: 'status' | 'comment'): Notice['report'] {
  const output = {
    summary: SUMMARY,
    links: [{ title: SUMMARY, url: 'https://e.example/' }],
    artifacts: [],
    problem: null,
  };
  const run = Object.assign({}, { state: 'succeeded', finishedAt: 5, output } as const);
  const input = makeRunInput({ payload: Buffer.from('{}'), run });
  const composed = composeRunReport(input, { post, repository: 'g/p', commit: COMMIT, number: '5' });
  if (!composed.ok) throw new Error(composed.problem);
  return composed.report;
}

const commit = { reconciliation: 'rec_1', message: SUMMARY, liveRevision: COMMIT, finishedAt: 1, diagnosticCount: 1 };
const finding = { severity: 'warning', rule: 'x', file: SUMMARY, line: 1, column: 1, path: null, message: SUMMARY };
const request = {
  kind: 'request',
  number: 7,
  commit: COMMIT,
  comment: null,
  inputs: '',
  missingSecrets: [],
  finishedAt: 1,
};

/** Every kind of text that this folder posts. Comments on requests of pull requests: `notify.comments.test.ts`. */
const REPORTS: Record<string, () => Notice['report']> = {
  'the comment of a run': () => reportRun('comment'),
  'the status of a run': () => reportRun('status'),
  'the status of an invalid commit': () =>
    ({ ...commit, result: 'invalid', state: 'failure', reason: 'Invalid', diagnostics: [finding] }) as never,
  'the status of a commit with warnings': () =>
    ({ ...commit, result: 'applied', state: 'success', reason: 'Applied', diagnostics: [finding] }) as never,
  'the status of a pull request': () => ({ ...request, state: 'success', description: SUMMARY }) as never,
};

describe.each(['github', 'gitlab', 'gitea', 'forgejo'] as const)('on %s', (type) => {
  it.each(Object.entries(REPORTS))('%s does nothing', (_name, report) => {
    const notice = { id: 'ntc_1', factory: 'f', revision: POSTED.revision, report: report() } as unknown as Notice;
    const order = { target: targetOf(type), notice, secret: 's', userAgent: 'dockbell/test', nowMs: POSTED.at };
    const { body, description } = JSON.parse(buildNotifyRequest(order).body);
    const text: string = body ?? description;
    expect(text).toContain('merge');
    expect(text).not.toMatch(/^\s*\/|!\[|@[\w-]/m);
    expect(text.replace(/^<!-- dockbell run_\w+ -->\n/, '')).not.toContain('<!--');
  });
});
