import type { SourceFailed } from '../../domain/ports/sources.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { type RunGit, runGit } from './git-process.ts';
import { failed } from './source-limits.ts';

/** Before 2.32, git ignores `GIT_CONFIG_GLOBAL`, so the configuration of a user would affect every command. */
const OLDEST_GIT = [2, 32] as const;

const LIMITS = { timeoutMs: 10_000, maxOutputBytes: 4_096 };

/** Rejects a git that would run with fewer protections. Resolves with `null` if the installed version is sufficient. */
export async function rejectOldGit(environment: Environment, run: RunGit = runGit): Promise<SourceFailed | null> {
  const outcome = await run({ args: ['version'], environment, ...LIMITS });
  // The following command fails with the same problem and explains it better.
  if (outcome.kind !== 'exited' || outcome.code !== 0) return null;
  return checkGitVersion(outcome.stdout.toString('utf8').trim());
}

/** Why git cannot be used, as one sentence; `null` if it can. */
export async function findGitProblem(environment: Environment): Promise<string | null> {
  const outcome = await runGit({ args: ['version'], environment, ...LIMITS });
  if (outcome.kind === 'not-started') return outcome.message;
  if (outcome.kind !== 'exited' || outcome.code !== 0) return 'git version does not work.';
  return checkGitVersion(outcome.stdout.toString('utf8').trim())?.message ?? null;
}

/** @param text what `git version` prints, for example `git version 2.39.5` */
export function checkGitVersion(text: string): SourceFailed | null {
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(text)?.map(Number) ?? [];
  if (major === undefined || minor === undefined) return null;
  const [oldestMajor, oldestMinor] = OLDEST_GIT;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return null;
  const message = `${text} is too old: install git ${OLDEST_GIT.join('.')} or newer on this machine.`;
  return failed('RepositoryRefused', message);
}
