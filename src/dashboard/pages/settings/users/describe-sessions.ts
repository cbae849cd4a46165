import { countOf } from '../../../../domain/words/quantities.ts';

/**
 * The effect of a change that ends all sessions of a user.
 *
 * @param count number of sessions; `undefined` while loading
 */
export function describeEndOfSessions(name: string, count: number | undefined): string {
  if (count === undefined) return `${name} is signed out everywhere immediately.`;
  if (count === 0) return `${name} is not signed in anywhere.`;
  return `${name} is signed out of ${countOf(count, 'browser')} immediately.`;
}
