import { describeNoticeState } from './describe-post.ts';

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
