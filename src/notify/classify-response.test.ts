import { describe, expect, it } from 'vitest';
import type { NotifyRequest } from './build-request.ts';
import { judgeAnswer, type NotifyAnswer } from './classify-response.ts';
import type { NotifyTarget } from './notify-target.ts';

const NOW_MS = Date.parse('2026-01-02T03:04:05Z');
const REQUEST: NotifyRequest = { url: 'https://x.example', headers: {}, body: '{"state":"failed"}' };

function judge(answer: Partial<NotifyAnswer>, type: NotifyTarget['type'] = 'github') {
  const target: NotifyTarget = {
    ...{ type, url: 'https://x.example', repository: 'team/factory', secretName: 'TOKEN', context: 'c' },
    ...{ targetUrl: null, branch: 'main' },
  };
  return judgeAnswer(target, REQUEST, { status: 200, headers: {}, body: '', ...answer }, NOW_MS);
}

describe('judgeAnswer', () => {
  it.each([200, 201, 202, 204])('%i is done', (status) => expect(judge({ status }).kind).toBe('done'));

  it.each([408, 409, 425, 500, 502, 503, 504])('%i passes', (status) => {
    expect(judge({ status })).toMatchObject({ kind: 'later', waitMs: null, hostWide: false });
  });

  it.each([301, 307, 400, 401, 403, 404, 410, 422])('%i is final, and says what to do', (status) => {
    expect(judge({ status })).toMatchObject({ kind: 'final', problem: expect.stringMatching(/answered \d+: .{20}/) });
  });

  it.each<[what: string, status: number, headers: Record<string, string>, waitMs: number | null]>([
    ['seconds', 429, { 'retry-after': '30' }, 30_000],
    ['a date', 429, { 'retry-after': 'Fri, 02 Jan 2026 03:05:05 GMT' }, 60_000],
    ['a date that has passed', 429, { 'retry-after': 'Fri, 02 Jan 2026 03:00:00 GMT' }, 0],
    ['more than a host may ask for', 429, { 'retry-after': '999999' }, 3_600_000],
    ['nonsense', 429, { 'retry-after': 'soon' }, null],
    ['nothing', 429, {}, null],
    ['seconds, at a secondary limit of GitHub', 403, { 'retry-after': '60' }, 60_000],
    [
      'the moment at which the limit begins anew',
      403,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW_MS / 1000 + 90) },
      90_000,
    ],
    ['seconds, while the host is down', 503, { 'retry-after': '5' }, 5_000],
  ])('waits for %s', (_what, status, headers, waitMs) => {
    expect(judge({ status, headers })).toMatchObject({ kind: 'later', waitMs });
  });

  it('a 403 with room in the limit is a token that may not', () => {
    const headers = { 'x-ratelimit-remaining': '4999', 'x-ratelimit-reset': '1' };
    expect(judge({ status: 403, headers })).toMatchObject({ kind: 'final', problem: expect.stringContaining('TOKEN') });
  });

  it('a status of GitLab that is in that state already is done, and one that is in another is not', () => {
    const refusal = (from: string) => `{"message":"Cannot transition status via :drop from :${from} (Reason(s): x)"}`;
    expect(judge({ status: 400, body: refusal('failed') }, 'gitlab').kind).toBe('done');
    expect(judge({ status: 400, body: refusal('success') }, 'gitlab').kind).toBe('final');
    expect(judge({ status: 400, body: refusal('failed') }, 'github').kind).toBe('final');
  });
});
