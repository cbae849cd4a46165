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

/** The outcome of the reports about a check, as the management API answers it. */
interface Posted {
  posts: readonly {
    kind: 'status' | 'comment';
    state: Parameters<typeof describeNoticeState>[0];
    problem: string | null;
  }[];
}

const KINDS = { status: 'commit status', comment: 'comment' } as const;

/** In a word: was all of it posted? `-` if nothing is due. */
export function describeRequestPosts({ posts }: Posted): string {
  if (posts.length === 0) return '-';
  if (posts.every(({ state }) => state === 'posted')) return 'yes';
  return posts.some(({ state }) => state === 'given_up') ? 'no' : 'waiting';
}

/** What could not be posted, and why, as parts of a sentence. */
export function listPostProblems({ posts }: Posted): string[] {
  return posts.flatMap(({ kind, state, problem }) =>
    problem === null ? [] : [`the ${KINDS[kind]} is not posted (${describeNoticeState(state)}): ${problem}`],
  );
}

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
