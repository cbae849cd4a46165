import { expect, it } from 'vitest';
import { ENDLESS_TERM } from '../../../test/helpers/endless-term.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { PublicUrlWatch } from './public-url-watch.ts';

const logger: Logger = { info: () => {}, warn: () => {}, error: () => {}, child: () => logger };

/** A watch whose timers fire only when the test calls `fire`. */
function createWatch(answers: (string | null)[], isOn = true) {
  const timers: { delayMs: number; call: () => void }[] = [];
  let changes = 0;
  let probes = 0;
  const watch = new PublicUrlWatch({
    intervalMs: () => (isOn ? 60_000 : null),
    probe: async () => {
      probes += 1;
      return answers.shift() ?? null;
    },
    onChange: () => {
      changes += 1;
    },
    schedule: (delayMs, call) => {
      timers.push({ delayMs, call });
      return () => {};
    },
    logger,
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const fire = async () => {
    const timer = timers.pop();
    timer?.call();
    await settle();
    return timer?.delayMs;
  };
  return { watch, fire, settle, counts: () => ({ probes, changes }), timers };
}

it('PublicUrlWatch reports a problem after the second failed request, and its end after the first that arrives', async () => {
  const { watch, fire, settle, counts } = createWatch(['no route', 'no route', null]);
  watch.start(ENDLESS_TERM);
  await settle();
  expect(watch.problem).toBeNull();
  expect(await fire()).toBe(5000);
  expect(watch.problem).toBe('no route');
  expect(await fire()).toBe(60_000);
  expect(watch.problem).toBeNull();
  expect(counts()).toEqual({ probes: 3, changes: 2 });
});

it('PublicUrlWatch ignores a single failed request', async () => {
  const { watch, fire, settle, counts } = createWatch(['reset', null]);
  watch.start(ENDLESS_TERM);
  await settle();
  await fire();
  expect(watch.problem).toBeNull();
  expect(counts()).toEqual({ probes: 2, changes: 0 });
});

it('PublicUrlWatch sends nothing while it is off', async () => {
  const { watch, settle, counts, timers } = createWatch(['no route'], false);
  watch.start(ENDLESS_TERM);
  await settle();
  expect(counts().probes).toBe(0);
  expect(timers).toEqual([]);
});
