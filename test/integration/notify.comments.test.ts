import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NotifyTarget } from '../../src/outbound/notify/notify-target.ts';
import { markerOf } from '../../src/outbound/notify/post-comment.ts';
import { postNotice, postOverHttp } from '../../src/outbound/notify/post-notice.ts';
import { listOpenRequests } from '../../src/reconcile/pull-requests/list-open-requests.ts';
import { REQUEST_TOKEN, type RequestHost, startRequestHost } from '../helpers/request-host.ts';

const COMMIT = 'a'.repeat(40);
const NOW_MS = 1_767_000_000_000;

describe.each(['github', 'gitlab'] as const)('a comment on %s', (type) => {
  let host: RequestHost;
  beforeEach(async () => {
    host = await startRequestHost(type);
  });
  afterEach(() => host.close());

  const targetOf = (requests: NotifyTarget['requests']): NotifyTarget => ({
    type,
    url: host.url,
    repository: 'team/factory',
    secretName: 'CHECKS',
    context: 'dockbell/payments/plan',
    format: 'standard',
    allowPrivateAddresses: true,
    targetUrl: null,
    branch: 'main',
    requests: requests!,
  });
  const post = (comment: string, secret = REQUEST_TOKEN) => {
    const report = {
      kind: 'request' as const,
      number: 7,
      commit: COMMIT,
      state: 'success' as const,
      description: 'No changes',
      comment,
      inputs: '',
      missingSecrets: [],
      finishedAt: NOW_MS,
    };
    const notice = {
      id: 'ntc_1' as never,
      factory: 'payments',
      target: '',
      revision: 'request/7',
      outcome: '',
      report,
      createdAt: NOW_MS,
      state: 'waiting' as const,
      attempts: 0,
      dueAt: NOW_MS,
      problem: null,
      failingSince: null,
    };
    const order = { target: targetOf('comment'), notice, secret, userAgent: 'dockbell/test', nowMs: NOW_MS };
    return postNotice(order, postOverHttp, new AbortController().signal);
  };
  const list = (etag: string | null = null) => {
    const order = { target: targetOf('list'), secret: REQUEST_TOKEN, userAgent: 'dockbell/test', nowMs: NOW_MS, etag };
    return listOpenRequests(order, postOverHttp, new AbortController().signal);
  };
  const changes = () => host.asked.filter((line) => /^(POST|PUT|PATCH)/.test(line)).length;

  it('is created once, changed in place, and left alone if its text is the same', async () => {
    expect(await post('one\n')).toEqual({ kind: 'done' });
    expect(await post('one\n')).toEqual({ kind: 'done' });
    expect(changes()).toBe(1);
    expect(await post('two\n')).toEqual({ kind: 'done' });
    expect(host.comments(7).map(({ body }) => body)).toEqual([`${markerOf(targetOf('comment'))}\ntwo\n`]);
    expect(host.violations).toEqual([]);
  });

  it('is found on a later page, and not among those of other accounts', async () => {
    for (let i = 0; i < 25; i++) host.comment(7, `${markerOf(targetOf('comment'))}\nforged ${i}`);
    await post('one\n');
    await post('two\n');
    expect(host.comments(7)).toHaveLength(26);
    expect(host.comments(7)[25]!.body).toContain('two');
    expect(host.comments(7)[0]!.body).toContain('forged 0');
  });

  it('has no line that GitLab executes', async () => {
    await post('/merge\n  /close\ntext /merge\n');
    expect(host.comments(7)[0]!.body).not.toMatch(/^\s*\//m);
  });

  it.each<[status: number, headers: Record<string, string>, outcome: object]>([
    [401, {}, { kind: 'final', problem: expect.stringContaining('CHECKS is wrong or has expired') }],
    [404, {}, { kind: 'final', problem: expect.stringContaining('has no access to it') }],
    [422, {}, { kind: 'final' }],
    [429, { 'retry-after': '120' }, { kind: 'later', waitMs: 120_000, hostWide: true }],
    [403, { 'retry-after': '60' }, { kind: 'later', waitMs: 60_000, hostWide: true }],
    [503, {}, { kind: 'later' }],
  ])('that gets %s is given up or retried', async (status, headers, outcome) => {
    host.script({ at: type === 'github' ? 'POST /repos' : 'POST /api', status, headers });
    expect(await post('one\n')).toMatchObject(outcome);
  });

  it('follows a list of open requests that costs nothing while it is the same', async () => {
    host.open({ number: 7, commit: COMMIT });
    host.open({ number: 8, commit: COMMIT, isFork: true });
    host.open({ number: 9, commit: COMMIT, base: 'release' });
    const first = await list();
    expect(first).toMatchObject({
      kind: 'listed',
      hasMore: false,
      requests: [
        { number: 8, commit: COMMIT, isFork: true },
        { number: 7, commit: COMMIT, isFork: false },
      ],
    });
    const etag = first?.kind === 'listed' ? first.etag : null;
    expect(await list(etag)).toEqual({ kind: 'unchanged' });
  });

  it('follows at most 300 open requests', async () => {
    for (let number = 1; number <= 320; number++) host.open({ number, commit: COMMIT });
    const listed = await list();
    expect(listed).toMatchObject({ kind: 'listed', hasMore: true });
    expect(listed?.kind === 'listed' && listed.requests.length).toBe(300);
    expect(host.asked).toHaveLength(10);
  });

  it.each([
    ['no list', '{}'],
    ['no JSON', '<html>'],
  ])('is not affected by %s in place of the list of requests', async (_what, body) => {
    host.script({ at: 'GET', status: 200, body });
    expect(await list()).toMatchObject({ kind: 'later', problem: 'its list cannot be read' });
  });
});
