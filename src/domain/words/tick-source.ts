/**
 * The name of the internal webhook of a factory: its ticks are entries of the delivery log, and each entry belongs to a webhook. No file
 * can have this name, no request reaches it, and it is stored as deleted, so that no list shows it.
 */
export const TICK_SOURCE_NAME = '(schedule)';

/** Is a delivery of this webhook a tick of a schedule, which no sender posted? */
export function isTickSource(webhookName: string): boolean {
  return webhookName === TICK_SOURCE_NAME;
}
