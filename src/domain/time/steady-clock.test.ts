import { describe, expect, it } from 'vitest';
import { SteadyClock } from './steady-clock.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.parse('2026-11-22T08:00:00Z');

/** A machine whose time passes as the test says, and whose clock can be set. */
function createMachine(newestStoredMs: number | null = null) {
  const machine = { wallMs: NOW_MS, uptimeMs: 5_000 };
  const clock = new SteadyClock({
    clock: { wallMs: () => machine.wallMs, monotonicMs: () => machine.uptimeMs },
    uptimeMs: () => machine.uptimeMs,
    newestStoredMs,
  });
  const pass = (ms: number) => {
    machine.wallMs += ms;
    machine.uptimeMs += ms;
  };
  const set = (ms: number) => {
    machine.wallMs += ms;
  };
  return { clock, machine, pass, set };
}

describe('the steady clock', () => {
  it('follows the wall clock through corrections of less than an hour', () => {
    const { clock, machine, pass, set } = createMachine();
    for (const correctionMs of [59 * 60_000, -59 * 60_000, 1_000]) {
      pass(HOUR_MS);
      set(correctionMs);
      expect(clock.wallMs()).toBe(machine.wallMs);
      expect(clock.findStep()).toBeNull();
    }
  });

  it('follows while the machine sleeps, since the uptime continues', () => {
    const { clock, machine, pass } = createMachine();
    pass(30 * DAY_MS);
    expect(clock.wallMs()).toBe(machine.wallMs);
  });

  it.each([
    ['forward', 365 * DAY_MS],
    ['back', -365 * DAY_MS],
    ['forward by two hours', 2 * HOUR_MS],
  ])('does not follow a step %s, and follows again when the clock is right', (_, stepMs) => {
    const { clock, machine, pass, set } = createMachine();
    set(stepMs);
    expect(clock.wallMs()).toBe(NOW_MS);
    pass(HOUR_MS);
    expect(clock.wallMs()).toBe(NOW_MS + HOUR_MS);
    expect(clock.findStep()).toEqual({
      wallMs: machine.wallMs,
      expectedMs: NOW_MS + HOUR_MS,
      remainingMs: 23 * HOUR_MS,
    });
    set(-stepMs + 5 * 60_000);
    expect(clock.wallMs()).toBe(machine.wallMs);
    expect(clock.findStep()).toBeNull();
  });

  it('accepts a clock that has run for a day since it was set', () => {
    const { clock, machine, pass, set } = createMachine();
    set(365 * DAY_MS);
    expect(clock.wallMs()).toBe(NOW_MS);
    pass(DAY_MS - 1);
    expect(clock.wallMs()).toBe(NOW_MS + DAY_MS - 1);
    pass(1);
    expect(clock.wallMs()).toBe(machine.wallMs);
    expect(clock.findStep()).toBeNull();
  });

  it('waits again after another step', () => {
    const { clock, pass, set } = createMachine();
    set(365 * DAY_MS);
    clock.wallMs();
    pass(23 * HOUR_MS);
    set(DAY_MS);
    clock.wallMs();
    pass(23 * HOUR_MS);
    expect(clock.wallMs()).toBe(NOW_MS + 46 * HOUR_MS);
  });

  it('believes the clock at the start, regardless of how long the daemon was off', () => {
    const { clock } = createMachine(NOW_MS - 30 * DAY_MS);
    expect(clock.wallMs()).toBe(NOW_MS);
    expect(clock.findStep()).toBeNull();
  });

  it('does not believe a clock that is behind what is stored', () => {
    const { clock, pass } = createMachine(NOW_MS + 30 * DAY_MS);
    pass(HOUR_MS);
    expect(clock.wallMs()).toBe(NOW_MS + 30 * DAY_MS + HOUR_MS);
    expect(clock.findStep()).toMatchObject({ wallMs: NOW_MS + HOUR_MS });
  });
});
