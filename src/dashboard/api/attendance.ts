/** Events that only users cause. */
const USER_EVENTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'focus'];
const ATTENDED_MS = 60_000;

/**
 * Returns a function that checks whether a user is at the page: for a minute after opening it and after each user event. A page
 * that updates automatically must not keep its session alive (threat model W3).
 */
export function watchAttendance(target: EventTarget, nowMs: () => number): () => boolean {
  let lastAt = nowMs();
  for (const name of USER_EVENTS) {
    target.addEventListener(name, () => (lastAt = nowMs()), { capture: true, passive: true });
  }
  return () => nowMs() - lastAt < ATTENDED_MS;
}
