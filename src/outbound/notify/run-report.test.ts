import { describe, expect, it } from 'vitest';
import { makeRunInput } from '../../../test/helpers/command-runs.ts';
import type { RunReport } from '../../domain/messages/notice.ts';
import type { Run } from '../../domain/resources/run.ts';
import { composeComment, describeRun } from './build-run-request.ts';
import type { RunPost } from './notify-target.ts';
import { composeRunReport } from './run-report.ts';

const SHA = 'a'.repeat(40);
const OUTPUT = {
  summary: 'Fixed it, @acme/team!\n\nMore.',
  links: [{ title: 'PR [42](x) @bot', url: 'https://git.example.com/pull/42?a=(b)' }],
  artifacts: [],
  problem: null,
};
const STATUS: RunPost = { post: 'status', repository: '{{ repo }}', commit: '{{ sha }}', number: null };
const COMMENT: RunPost = { post: 'comment', repository: '{{ repo }}', commit: null, number: '{{ n }}' };

function inputOf(payload: object, run: Partial<Run> = {}) {
  const ended = { state: 'succeeded', finishedAt: 5, output: OUTPUT } as const;
  const merged = { repo: 'acme/payments', sha: SHA, n: 7, ...payload };
  return makeRunInput({ payload: Buffer.from(JSON.stringify(merged)), run: Object.assign({}, ended, run) });
}

function reportOf(...args: Parameters<typeof composeRunReport>): RunReport {
  const composed = composeRunReport(...args);
  if (!composed.ok) throw new Error(composed.problem);
  return composed.report;
}

describe('the report of a run', () => {
  it('names the commit or the pull request in the payload', () => {
    expect(reportOf(inputOf({}), STATUS)).toMatchObject({
      state: 'success',
      place: { repository: 'acme/payments', commit: SHA, number: null },
    });
    expect(reportOf(inputOf({}), COMMENT).place).toEqual({ repository: 'acme/payments', commit: null, number: '7' });
    expect(reportOf(inputOf({}), 'callback').place).toBeNull();
  });

  it.each<[what: string, payload: object, target: RunPost]>([
    ['a path of the API as the repository', { repo: '../../user' }, STATUS],
    ['a repository with a query', { repo: 'acme/payments?x=' }, STATUS],
    ['a repository without an owner', { repo: 'payments' }, STATUS],
    ['a commit that is none', { sha: 'main' }, STATUS],
    ['a commit with more', { sha: `${SHA}/../x` }, STATUS],
    ['a number that is none', { n: '7/../../x' }, COMMENT],
    ['no number', { n: null }, COMMENT],
  ])('does not exist for a payload with %s', (_what, payload, target) => {
    expect(composeRunReport(inputOf(payload), target)).toMatchObject({ ok: false });
  });

  it('does not exist for a run that has not ended, was replaced, or has nothing to comment', () => {
    expect(composeRunReport(inputOf({}, { state: 'running', finishedAt: null }), STATUS).ok).toBe(false);
    expect(composeRunReport(inputOf({}, { state: 'cancelled', error: 'superseded' }), 'callback').ok).toBe(false);
    expect(composeRunReport(inputOf({}, { output: null }), COMMENT).ok).toBe(false);
    expect(composeRunReport(inputOf({}, { output: null }), STATUS).ok).toBe(true);
  });

  it('is one line as a status', () => {
    expect(describeRun(reportOf(inputOf({}), STATUS), 140)).toBe('Fixed it, @\u200bacme/team!');
    const failed = inputOf({}, { state: 'failed', error: 'exit code 3', output: null });
    expect(describeRun(reportOf(failed, STATUS), 140)).toBe('failed: exit code 3');
  });

  it('notifies nobody as a comment, and its links stay links', () => {
    const text = composeComment(reportOf(inputOf({}), COMMENT));
    expect(text).toContain('Fixed it, @\u200bacme/team!');
    expect(text).toContain('- [PR \\[42\\]\\(x\\) @\u200bbot](<https://git.example.com/pull/42?a=(b)>)');
    expect(text).not.toMatch(/@\w/);
  });
});
