import type { Ancestry } from '../../domain/ports/sources.ts';
import type { GitCommand, GitOutcome } from './git-process.ts';

/** Runs git in one repository. */
export type RunInRepository = (command: Pick<GitCommand, 'args' | 'config'>) => Promise<GitOutcome>;

const ABBREVIATED_ID = /^[0-9a-f]{7,64}$/;

/**
 * Is a commit part of the history of another one, as far as the repository holds that history?
 *
 * @param earlier an id, or at least seven digits of one
 * @param parents of `revision`. Default: they are read
 */
export async function readAncestry(
  run: RunInRepository,
  revision: string,
  earlier: string,
  parents?: readonly string[],
): Promise<Ancestry> {
  if (!ABBREVIATED_ID.test(earlier)) return 'unknown';
  if (revision.startsWith(earlier)) return 'yes';
  if ((parents ?? (await readParents(run, revision))).some((parent) => parent.startsWith(earlier))) return 'yes';
  const known = await resolveCommit(run, earlier);
  if (known !== null) {
    const outcome = await run({ args: ['merge-base', '--is-ancestor', known, revision] });
    if (outcome.kind !== 'exited' || outcome.code > 1) return 'unknown';
    if (outcome.code === 0) return 'yes';
  }
  return (await isShallow(run)) ? 'unknown' : 'no';
}

/** The full ID of a commit in the repository; `null` if the repository does not have it. */
async function resolveCommit(run: RunInRepository, id: string): Promise<string | null> {
  const printed = await readLine(run, ['rev-parse', '--verify', '--quiet', `${id}^{commit}`]);
  return printed !== null && /^[0-9a-f]{40,64}$/.test(printed) ? printed : null;
}

/** Time of a commit in seconds since 1970; `null` if the repository does not have it. */
export async function readCommitTime(run: RunInRepository, id: string): Promise<number | null> {
  const printed = await readLine(run, ['log', '--max-count=1', '--format=%ct', `${id}^{commit}`, '--']);
  return printed !== null && /^\d{1,12}$/.test(printed) ? Number(printed) : null;
}

/** Read from the commit itself: at the boundary of a shallow history, git reports no parents. */
async function readParents(run: RunInRepository, revision: string): Promise<string[]> {
  const outcome = await run({ args: ['cat-file', 'commit', revision] });
  if (outcome.kind !== 'exited' || outcome.code !== 0) return [];
  return parseParents(outcome.stdout.toString('latin1'));
}

/** The parents in the text of a commit. */
export function parseParents(commit: string): string[] {
  const [header = ''] = commit.split('\n\n', 1);
  return header.split('\n').flatMap((line) => (line.startsWith('parent ') ? [line.slice('parent '.length)] : []));
}

async function isShallow(run: RunInRepository): Promise<boolean> {
  return (await readLine(run, ['rev-parse', '--is-shallow-repository'])) !== 'false';
}

async function readLine(run: RunInRepository, args: string[]): Promise<string | null> {
  const outcome = await run({ args });
  return outcome.kind === 'exited' && outcome.code === 0 ? outcome.stdout.toString('latin1').trim() : null;
}
