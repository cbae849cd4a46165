import { expect, it } from 'vitest';
import { watchAttendance } from './attendance.ts';

it('counts a page as attended for a minute after opening it and after each user event', () => {
  const page = new EventTarget();
  let now = 5000;
  const isAttended = watchAttendance(page, () => now);
  now += 59_999;
  expect(isAttended()).toBe(true);
  now += 1;
  expect(isAttended()).toBe(false);
  page.dispatchEvent(new Event('keydown'));
  expect(isAttended()).toBe(true);
  now += 60_000;
  page.dispatchEvent(new Event('message'));
  expect(isAttended()).toBe(false);
});
