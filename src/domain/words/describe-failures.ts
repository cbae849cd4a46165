interface Failure {
  /** Type and repository of the target. */
  target: string;
  /** What failed, as the beginning of a sentence. */
  what: string;
  problem: string;
}

/** Targets that cannot be reached, on one line. What fails for the same reason is listed together: one wrong token affects several reports. */
export function describeFailures(failures: readonly Failure[]): string {
  const byReason = new Map<string, { target: string; whats: string[]; problem: string }>();
  for (const { target, what, problem } of failures) {
    const key = JSON.stringify([target, problem]);
    const { whats } = byReason.get(key) ?? { whats: [] };
    byReason.set(key, { target, whats: [...whats, what], problem });
  }
  return [...byReason.values()]
    .map(({ target, whats, problem }) => `${target}: ${whats.join(', and ')}: ${problem}`)
    .join('; ');
}
