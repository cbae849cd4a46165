/**
 * The name of the internal webhook of a factory: its ticks are entries of the delivery log, and each entry belongs to a webhook. No file
 * can have this name, no request reaches it, and it is stored as deleted, so that no list shows it.
 */
export const TICK_SOURCE_NAME = '(schedule)';
