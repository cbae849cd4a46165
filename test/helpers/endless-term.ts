/** For what leads until it is stopped. */
export const ENDLESS_TERM = new AbortController().signal;
