import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { machineNowMs } from '../../domain/time/machine-time.ts';
import { RunLease } from './run-lease.ts';

const LEASE_MS = 60_000;

let lease: RunLease;
let events: string[];
let until: number;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime'] });
  events = [];
  lease = new RunLease(LEASE_MS, (at) => {
    until = at;
  });
  lease.onHeld(() => events.push('held'));
  lease.onLost((graceMs) => events.push(`lost, ${Math.round(graceMs)} ms to end`));
});
afterEach(() => {
  lease.stop();
  vi.useRealTimers();
});

const renew = (wasLost = false) => lease.renew({ at: machineNowMs(), wasLost });

it('is held from the first sign of life until two thirds of its time', () => {
  expect(lease.isHeld).toBe(false);
  renew();
  expect([lease.isHeld, events]).toEqual([true, ['held']]);
  expect(until - machineNowMs()).toBeCloseTo(50_000);
  vi.advanceTimersByTime(39_900);
  expect(lease.isHeld).toBe(true);
  vi.advanceTimersByTime(200);
  expect([lease.isHeld, events]).toEqual([false, ['held', 'lost, 10000 ms to end']]);
});

it('counts from the time at which the sign of life was sent', () => {
  const at = machineNowMs();
  vi.advanceTimersByTime(30_000);
  lease.renew({ at, wasLost: false });
  expect(until).toBeCloseTo(at + 50_000);
  vi.advanceTimersByTime(10_100);
  expect(lease.isHeld).toBe(false);
});

it('is held as long as signs of life arrive, and again after it was lost', () => {
  for (let beat = 0; beat < 40; beat += 1) {
    renew();
    vi.advanceTimersByTime(2000);
  }
  expect([lease.isHeld, events]).toEqual([true, ['held']]);
  vi.advanceTimersByTime(60_000);
  renew();
  expect([lease.isHeld, events]).toEqual([true, ['held', 'lost, 10000 ms to end', 'held']]);
});

it('leaves no time to commands if it had ended before the sign of life', () => {
  renew();
  renew(true);
  expect(events).toEqual(['held', 'lost, 0 ms to end', 'held']);
});
