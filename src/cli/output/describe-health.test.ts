import { describe, expect, it } from 'vitest';
import type { Webhook } from '../../client/api-types.ts';
import { describeTraffic } from './describe-health.ts';

const NOW_MS = Date.parse('2026-11-28T12:00:00Z');
const SINCE = '2026-11-28T11:50:00.000Z';
const CLOCK = { reason: 'timestamp_out_of_range', reason_text: 'The timestamp of the request is too old.' };

const traffic = {
  last_accepted_at: '2026-11-28T11:00:00.000Z',
  last_24_hours: { accepted: 1, duplicate: 0, rejected: 3 },
  acceptance_rate: 0.25,
  credential_failing: { count: 3, since: SINCE, ...CLOCK },
  rejections: { count: 3, examined: 3, since: SINCE, ...CLOCK, addresses: ['192.0.2.7'], other_addresses: 0 },
} as unknown as Webhook['traffic'];

describe('the traffic of a webhook', () => {
  it('says once what was rejected, and calls no other reason a credential', () => {
    expect(describeTraffic(traffic, NOW_MS)).toMatch(
      /^last accepted [^;]+; rejected 3 of 4 requests in the last 24 hours, since [^;]+, from 192\.0\.2\.7: The timestamp of the request is too old\.$/,
    );
  });

  it('says both reasons if most requests were rejected for another one', () => {
    const rejections = { ...traffic.rejections!, reason: 'invalid_json', reason_text: 'The body is not JSON.' };
    expect(describeTraffic({ ...traffic, rejections } as Webhook['traffic'], NOW_MS)).toMatch(
      /; 3 rejected since [^;]+: The timestamp of the request is too old\.; rejected 3 of 4 [^;]+: The body is not JSON\.$/,
    );
  });

  it('has the failing requests of a longer time', () => {
    const text = describeTraffic({ ...traffic, rejections: null }, NOW_MS);
    expect(text).toMatch(/^last accepted [^;]+; 3 rejected since [^;]+: The timestamp of the request is too old\.$/);
  });
});
