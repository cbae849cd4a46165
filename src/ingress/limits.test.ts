import { describe, expect, it } from 'vitest';
import { RateLimits } from './limits.ts';

const create = (more = {}) => new RateLimits({ deliveriesPerMinute: 2, failedAuthPerMinute: 2, ...more });

describe('the delivery rate', () => {
  it.each([
    [1, 60],
    [59_000, 1],
    [59_001, 1],
    [58_999, 2],
    [59_999.5, 1],
  ])('at %d ms of a minute says to wait %d whole seconds, rounded up', (nowMs, retryAfterSeconds) => {
    const limits = create({ deliveriesPerMinute: 1 });
    limits.admitDelivery('wh_a', 0);
    expect(limits.admitDelivery('wh_a', nowMs)).toEqual({ ok: false, retryAfterSeconds });
    expect(limits.admitDelivery('wh_a', nowMs + retryAfterSeconds * 1_000)).toEqual({ ok: true });
  });
});

describe('the budget of failed authentications', () => {
  it('is shared by the IPv6 addresses of one /64', () => {
    const limits = create({ failedAuthPerMinute: 2 });
    const fail = (address: string) => limits.admitFailure('wh_a', address, 0).ok;
    expect([fail('2001:db8:1:2::1'), fail('2001:db8:1:2:ffff::2'), fail('2001:db8:1:2::3')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(fail('2001:db8:1:3::1')).toBe(true);
  });

  it('is kept for a bounded number of clients, and drops the one whose last failure is oldest', () => {
    const limits = create({ failedAuthPerMinute: 1 });
    const fail = (address: string) => limits.admitFailure('wh_a', address, 0).ok;
    fail('first');
    fail('second');
    fail('first');
    for (let i = 0; i < 9_999; i++) fail(`other ${i}`);
    expect(fail('first')).toBe(false);
    expect(fail('second')).toBe(true);
  });
});

describe('several replicas', () => {
  it('count what the others admitted, and report each own admission once', () => {
    const admitted: [string, string][] = [];
    const limits = new RateLimits({ deliveriesPerMinute: 3, failedAuthPerMinute: 2 }, (kind, key) =>
      admitted.push([kind, key]),
    );
    limits.noteElsewhere('deliveries', [['wh_a', 2]], 0);
    expect([limits.admitDelivery('wh_a', 0).ok, limits.admitDelivery('wh_a', 0).ok]).toEqual([true, false]);
    expect(limits.admitDelivery('wh_b', 0).ok).toBe(true);
    limits.noteElsewhere('failures', [['wh_a 192.0.2.1', 9]], 0);
    expect(limits.admitFailure('wh_a', '192.0.2.1', 0).ok).toBe(false);
    expect(limits.admitFailure('wh_a', '192.0.2.1', 60_000).ok).toBe(true);
    expect(admitted).toEqual([
      ['deliveries', 'wh_a'],
      ['deliveries', 'wh_b'],
      ['failures', 'wh_a 192.0.2.1'],
    ]);
  });
});
