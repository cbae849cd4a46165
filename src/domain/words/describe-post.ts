/** The states of a post, as the management API names them. */
const STATES = {
  waiting: 'waits for its next attempt',
  posted: 'posted',
  given_up: 'given up',
  skipped: 'not posted',
} as const;

/** For a sentence that may end with a reason. */
export function describeNoticeState(state: keyof typeof STATES): string {
  return STATES[state];
}
