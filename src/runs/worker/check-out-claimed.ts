import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { checkOut } from '../../reconcile/source/check-out.ts';
import { runGit } from '../../reconcile/source/git-process.ts';
import { parseRepositoryUrl } from '../../reconcile/source/repository-url.ts';
import type { CheckOutWorkspace } from '../executors/executor-parts.ts';
import type { ClaimedRun } from './worker-api.ts';

/**
 * Makes the workspace of a claimed run. The daemon chose the repository, with the credentials for it, and checked the ref.
 * Only git gets the credentials, not the command.
 */
export async function checkOutClaimed(
  { input, checkout }: Pick<ClaimedRun, 'input' | 'checkout'>,
  { dir, owner, signal }: Parameters<CheckOutWorkspace>[1],
  environment: Environment,
): ReturnType<CheckOutWorkspace> {
  if (!checkout) return input.workspace === null ? { ok: true, dir: null } : fail('the daemon names no repository');
  const { url, ref, username, password, problem } = checkout;
  if (problem !== null || url === null || ref === null) return { ok: false, problem: problem ?? 'workspace: no ref' };
  const parsed = parseRepositoryUrl(url);
  if (!parsed.ok) return fail(parsed.message);
  const credentials = username === null || password === null ? null : { username, password };
  const location = parsed.location.kind === 'local' ? parsed.location : { ...parsed.location, credentials };
  const outcome = await checkOut({ location, ref, dir, owner, runGit, environment, signal });
  return outcome.ok ? { ok: true, dir } : outcome;
}

function fail(problem: string): { ok: false; problem: string } {
  return { ok: false, problem: `workspace: ${problem}` };
}
