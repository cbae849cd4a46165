/** What people do at a page, and pages do not do by themselves. */
const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'focus'];
const MEMORY_MS = 60_000;

/**
 * Is somebody at the page? A page that renews itself while nobody looks must not keep its session alive (threat model
 * W3). Answers with `true` for a minute from the last sign on, and from the opening of the page.
 */
export function watchAttendance(target: EventTarget, nowMs: () => number): () => boolean {
  let lastAt = nowMs();
  for (const sign of SIGNS) {
    target.addEventListener(sign, () => (lastAt = nowMs()), { capture: true, passive: true });
  }
  return () => nowMs() - lastAt < MEMORY_MS;
}
