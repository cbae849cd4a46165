/**
 * What a change that ends all sessions does to somebody.
 *
 * @param count how many there are; `undefined` while nobody knows
 */
export function describeEndOfSessions(name: string, count: number | undefined): string {
  if (count === undefined) return `${name} is signed out everywhere at once.`;
  if (count === 0) return `${name} is not signed in anywhere at the moment.`;
  return `${name} is signed out at once, in ${count === 1 ? 'one browser' : `${count} browsers`}.`;
}
