import { describe, expect, it } from 'vitest';
import type { SharedAdmissions } from '../domain/ports/replicas.ts';
import { type LimitsPerMinute, RateLimits } from './limits.ts';

const LIMITS = { deliveriesPerMinute: 2, providerDeliveriesPerMinute: 4, failedAuthPerMinute: 2 };
const create = (more = {}) => new RateLimits({ ...LIMITS, ...more });
const webhook = (provider: string | null = null) => ({ uid: 'wh_a' as const, provider });

describe('the delivery rate', () => {
  it.each([
    [1, 60],
    [59_000, 1],
    [59_001, 1],
    [58_999, 2],
    [59_999.5, 1],
  ])('at %d ms of a minute says to wait %d whole seconds, rounded up', (nowMs, retryAfterSeconds) => {
    const limits = create({ deliveriesPerMinute: 1 });
    limits.admitDelivery(webhook(), 0);
    expect(limits.admitDelivery(webhook(), nowMs)).toEqual({ ok: false, retryAfterSeconds, undecided: false });
    expect(limits.admitDelivery(webhook(), nowMs + retryAfterSeconds * 1_000)).toEqual({ ok: true });
  });
});

describe('the delivery rate of a webhook that serves a provider', () => {
  const admit = (limits: RateLimits, count: number, provider: string | null, nowMs: number) =>
    Array.from({ length: count }, () => limits.admitDelivery(webhook(provider), nowMs).ok).filter(Boolean).length;

  it('has a separate limit', () => {
    expect([admit(create(), 9, 'github', 0), admit(create(), 9, null, 0)]).toEqual([4, 2]);
  });

  it('continues the window if an apply changes what the webhook serves', () => {
    const limits = create();
    expect(admit(limits, 9, null, 0)).toBe(2);
    expect(admit(limits, 1, 'github', 10_000)).toBe(1);
    expect(admit(limits, 9, 'github', 20_000)).toBe(1);
    // The two most recent count: those after 10 and 20 seconds.
    expect(admit(limits, 9, null, 69_999)).toBe(0);
    expect(admit(limits, 9, null, 70_000)).toBe(1);
    expect(admit(limits, 9, null, 80_000)).toBe(1);
  });

  it('counts what other replicas admitted, also before its first delivery here', () => {
    const [provider, plain] = [create(), create()];
    for (const limits of [provider, plain]) limits.noteElsewhere('deliveries', [['wh_a', 3]], 0);
    expect([admit(provider, 9, 'github', 1), admit(plain, 9, null, 1)]).toEqual([1, 0]);
    expect([admit(provider, 9, 'github', 60_000), admit(plain, 9, null, 60_000)]).toEqual([3, 2]);
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

/** Replicas that share limits. What one admits is seen by the others after `see`. */
function createReplicas(count: number, limits: Partial<LimitsPerMinute>) {
  const replicas = Array.from({ length: count }, () => {
    const unseen = { deliveries: new Map<string, number>(), failures: new Map<string, number>() };
    const urgent: boolean[] = [];
    const shared: SharedAdmissions = {
      replicas: count,
      countUnseen: (kind, key) => unseen[kind].get(key) ?? 0,
      note: (kind, key, isUrgent) => {
        unseen[kind].set(key, (unseen[kind].get(key) ?? 0) + 1);
        urgent.push(isUrgent);
      },
      untilSeen: async () => {},
    };
    return { limits: new RateLimits({ ...LIMITS, ...limits }, shared), unseen, urgent };
  });
  const see = (nowMs: number) => {
    for (const from of replicas) {
      for (const kind of ['deliveries', 'failures'] as const) {
        for (const to of replicas) if (to !== from) to.limits.noteElsewhere(kind, [...from.unseen[kind]], nowMs);
        from.unseen[kind].clear();
      }
    }
  };
  return { replicas, see };
}

const UNDECIDED = { ok: false, retryAfterSeconds: 1, undecided: true };

describe('several replicas', () => {
  it('admit no more than their share of what is left until the others have counted it', () => {
    const { replicas, see } = createReplicas(2, { deliveriesPerMinute: 9, failedAuthPerMinute: 9 });
    const [one, other] = replicas as [(typeof replicas)[0], (typeof replicas)[0]];
    const admitAll = ({ limits }: typeof one, nowMs: number) => {
      let admitted = 0;
      while (limits.admitDelivery(webhook(), nowMs).ok) admitted += 1;
      return admitted;
    };
    expect([admitAll(one, 0), admitAll(other, 0)]).toEqual([4, 4]);
    expect(one.limits.admitDelivery(webhook(), 0)).toEqual(UNDECIDED);
    see(100);
    // One is left, and nobody may starve.
    expect([admitAll(one, 100), admitAll(other, 100)]).toEqual([1, 1]);
    see(200);
    expect([admitAll(one, 200), admitAll(other, 200)]).toEqual([0, 0]);
    expect(one.limits.admitDelivery(webhook(), 200)).toEqual({ ok: false, retryAfterSeconds: 60, undecided: false });
    expect(one.limits.admitDelivery({ ...webhook(), uid: 'wh_b' }, 200)).toEqual({ ok: true });
  });

  it('let one of them admit all, after some exchanges', () => {
    const { replicas, see } = createReplicas(4, { deliveriesPerMinute: 60, failedAuthPerMinute: 1 });
    let admitted = 0;
    for (let exchanges = 0; exchanges < 20; exchanges += 1) {
      while (replicas[0]!.limits.admitDelivery(webhook(), 0).ok) admitted += 1;
      see(0);
    }
    expect(admitted).toBe(60);
  });

  it('hurry when half of the share is used', () => {
    const { replicas } = createReplicas(2, { deliveriesPerMinute: 12, failedAuthPerMinute: 4 });
    const { limits, urgent } = replicas[0]!;
    for (let n = 0; n < 6; n += 1) limits.admitDelivery(webhook(), 0);
    expect(urgent).toEqual([false, false, false, true, true, true]);
  });

  it('share the budget of failed authentications', () => {
    const { replicas, see } = createReplicas(2, { deliveriesPerMinute: 1, failedAuthPerMinute: 4 });
    const fail = (index: number, nowMs: number) => replicas[index]!.limits.admitFailure('wh_a', '192.0.2.1', nowMs);
    expect([fail(0, 0), fail(0, 0), fail(0, 0)]).toEqual([{ ok: true }, { ok: true }, UNDECIDED]);
    expect([fail(1, 0), fail(1, 0), fail(1, 0)]).toEqual([{ ok: true }, { ok: true }, UNDECIDED]);
    see(100);
    expect(fail(0, 100)).toEqual({ ok: false, retryAfterSeconds: 60, undecided: false });
    expect(fail(0, 60_100).ok).toBe(true);
  });
});
