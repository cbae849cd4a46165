import { describe, expect, it } from 'vitest';
import type { NotifyRequest } from './build-request.ts';
import { classifyResponse, type NotifyResponse } from './classify-response.ts';
import type { NotifyTarget } from './notify-target.ts';

const NOW_MS = Date.parse('2026-01-02T03:04:05Z');
const REQUEST: NotifyRequest = {
  url: 'https://x.example',
  headers: {},
  body: '{"state":"failed"}',
  allowPrivateAddresses: false,
};

function classify(response: Partial<NotifyResponse>, type: NotifyTarget['type'] = 'github') {
  const target: NotifyTarget = {
    type,
    url: 'https://x.example',
    repository: 'team/factory',
    secretName: 'TOKEN',
    context: 'c',
    format: 'standard',
    allowPrivateAddresses: false,
    targetUrl: null,
    branch: 'main',
  };
  return classifyResponse(target, REQUEST, { status: 200, headers: {}, body: '', ...response }, NOW_MS);
}

describe('classifyResponse', () => {
  it.each([200, 201, 202, 204])('classifies %i as done', (status) => expect(classify({ status }).kind).toBe('done'));

  it.each([408, 409, 425, 500, 502, 503, 504])('classifies %i as temporary', (status) => {
    expect(classify({ status })).toMatchObject({ kind: 'later', waitMs: null, hostWide: false });
  });

  it.each([301, 307, 400, 401, 403, 404, 410, 422])('classifies %i as final, with the solution', (status) => {
    expect(classify({ status })).toMatchObject({
      kind: 'final',
      problem: expect.stringMatching(/responded with \d+: .{20}/),
    });
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
      'the time at which the limit resets',
      403,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW_MS / 1000 + 90) },
      90_000,
    ],
    ['seconds, while the host is unavailable', 503, { 'retry-after': '5' }, 5_000],
  ])('waits for %s', (_what, status, headers, waitMs) => {
    expect(classify({ status, headers })).toMatchObject({ kind: 'later', waitMs });
  });

  it('classifies a 403 below the rate limit as a missing permission', () => {
    const headers = { 'x-ratelimit-remaining': '4999', 'x-ratelimit-reset': '1' };
    expect(classify({ status: 403, headers })).toMatchObject({
      kind: 'final',
      problem: expect.stringContaining('TOKEN'),
    });
  });

  it('classifies a GitLab status that is already in that state as done, but not one in another state', () => {
    const rejection = (from: string) => `{"message":"Cannot transition status via :drop from :${from} (Reason(s): x)"}`;
    expect(classify({ status: 400, body: rejection('failed') }, 'gitlab').kind).toBe('done');
    expect(classify({ status: 400, body: rejection('success') }, 'gitlab').kind).toBe('final');
    expect(classify({ status: 400, body: rejection('failed') }, 'github').kind).toBe('final');
  });
});
