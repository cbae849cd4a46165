import { expect, it } from 'vitest';
import { UrlProbes } from './url-probes.ts';

const UID = 'wh_probe';

/** Two replicas, whose messages the test delivers. */
function startPair() {
  const messages: (() => void)[] = [];
  const timers: (() => void)[] = [];
  const schedule = (_delayMs: number, act: () => void) => {
    timers.push(act);
    return () => {};
  };
  const start = (other: () => UrlProbes) =>
    new UrlProbes({ announce: (message) => void messages.push(() => other().noteElsewhere(message)), schedule });
  const one: UrlProbes = start(() => two);
  const two: UrlProbes = start(() => one);
  const deliver = () => {
    while (messages.length > 0) messages.shift()!();
  };
  return { one, two, deliver, timers };
}

it('sees a probe that reaches this daemon, and no other', async () => {
  const probes = new UrlProbes();
  probes.expect(UID);
  expect(await probes.wasSeen(UID)).toBe(false);
  probes.note('wh_other');
  expect(await probes.wasSeen(UID)).toBe(false);
  probes.note(UID);
  expect(await probes.wasSeen(UID)).toBe(true);
  probes.end(UID);
  expect(await probes.wasSeen(UID)).toBe(false);
});

it('sees a probe that reaches another replica after the message about it', async () => {
  const { one, two, deliver } = startPair();
  one.expect(UID);
  deliver();
  two.note(UID);
  const seen = one.wasSeen(UID);
  deliver();
  expect(await seen).toBe(true);
});

it('sees a probe that reaches another replica before the message about it', async () => {
  const { one, two, deliver } = startPair();
  one.expect(UID);
  two.note(UID);
  deliver();
  expect(await one.wasSeen(UID)).toBe(true);
});

it('does not wait for ever for a probe that reaches no replica', async () => {
  const { one, two, deliver, timers } = startPair();
  one.expect(UID);
  two.note('wh_other');
  deliver();
  const seen = one.wasSeen(UID);
  for (const fire of timers) fire();
  expect(await seen).toBe(false);
});
