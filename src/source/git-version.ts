import type { SourceFailed } from '../core/ports/definitions/definition-source.ts';
import { type Environment, runGit } from './git-process.ts';
import { failed } from './source-limits.ts';

/** Before 2.32 git does not read `GIT_CONFIG_GLOBAL`, so a user's own configuration would take part in every command. */
const OLDEST_GIT = [2, 32] as const;

const LIMITS = { timeoutMs: 10_000, maxOutputBytes: 4_096 };

/** Refuses a git that would quietly run with fewer protections; `null` where the installed one will do. */
export async function refuseOldGit(environment: Environment): Promise<SourceFailed | null> {
  const outcome = await runGit({ args: ['version'], environment, ...LIMITS });
  // Whatever goes wrong here meets the command that follows, which says so better.
  if (outcome.kind !== 'exited' || outcome.code !== 0) return null;
  return judgeGitVersion(outcome.stdout.toString('utf8').trim());
}

/** @param text what `git version` prints, for example `git version 2.39.5` */
export function judgeGitVersion(text: string): SourceFailed | null {
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(text)?.map(Number) ?? [];
  if (major === undefined || minor === undefined) return null;
  const [oldestMajor, oldestMinor] = OLDEST_GIT;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return null;
  const message = `${text} is too old: git ${OLDEST_GIT.join('.')} or newer is needed on this machine.`;
  return failed('RepositoryRefused', message);
}
