import type { FactoryConfig } from '../config/config.ts';
import type { Environment } from '../core/reserved-variables.ts';
import { resolveWorkspace } from '../core/workspace.ts';
import type { CheckOutWorkspace } from '../executors/executor-kind.ts';
import { checkOut } from '../source/check-out.ts';
import { runGit } from '../source/git-process.ts';
import { parseRepositoryUrl, type RepositoryLocation } from '../source/repository-url.ts';

/** Makes the workspaces of the runs of one factory. Only its own repository and the listed ones can be checked out. */
export function createWorkspaces(
  { source, runs }: Pick<FactoryConfig, 'source' | 'runs'>,
  environment: Environment,
): CheckOutWorkspace {
  const own = source.type === 'repository' ? locate(source.url) : null;
  // A listed URL comes first, because it may have other credentials.
  const allowed = [...runs.workspaces.map(({ url }) => locate(url)), own].filter((location) => location !== null);
  return async ({ workspace, payload, run }, { dir, owner, signal }) => {
    if (workspace === null) return { ok: true, dir: null };
    const resolved = resolveWorkspace(workspace, payload, own === null ? null : run.revision);
    if (!resolved.ok) return resolved;
    const { repository, ref } = resolved.target;
    const found = repository === null ? own : findAllowed(repository, allowed);
    if (found === null) return { ok: false, problem: describeMissing(repository) };
    const outcome = await checkOut({ location: found, ref, dir, owner, runGit, environment, signal });
    return outcome.ok ? { ok: true, dir } : outcome;
  };
}

function locate(url: string): RepositoryLocation | null {
  const parsed = parseRepositoryUrl(url);
  return parsed.ok ? parsed.location : null;
}

/** The configured location, never that of the text: the payload may have chosen the text. */
function findAllowed(text: string, allowed: readonly RepositoryLocation[]): RepositoryLocation | null {
  const wanted = locate(text);
  if (wanted === null || (wanted.kind === 'remote' && wanted.credentials !== null)) return null;
  return allowed.find((location) => nameOf(location) === nameOf(wanted)) ?? null;
}

/** The same for each spelling of a URL with or without `.git`. */
function nameOf(location: RepositoryLocation): string {
  const address = location.kind === 'local' ? location.path : location.gitUrl;
  return address.replace(/\/+$/, '').replace(/\.git$/, '');
}

function describeMissing(repository: string | null): string {
  if (repository === null) {
    return 'workspace.repository: name a repository, because the definition of this factory is not in one that can be checked out';
  }
  return `workspace.repository: ${JSON.stringify(repository)} is not allowed; add it to runs.workspaces of the factory in dockbell.yaml`;
}
