/** What a backtest says about deliveries without a record of a header that a filter tests. */
export function describeUnrecorded(count: number): string {
  const [have, counts] = count === 1 ? ['has', 'counts'] : ['have', 'count'];
  return `${count} of them ${have} no record of a tested header and ${counts} as sent without it.`;
}
