import type { FactoryConfig } from '../../config/config.ts';
import type { RunInput } from '../../domain/resources/run.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { resolveWorkspace, type WorkerCheckout, type WorkspacePolicy } from '../../domain/runs/workspace.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { checkOut } from '../../reconcile/source/check-out.ts';
import { runGit } from '../../reconcile/source/git-process.ts';
import { parseRepositoryUrl, type RepositoryLocation } from '../../reconcile/source/repository-url.ts';
import type { CheckOutWorkspace } from './executor-parts.ts';

type Places = Pick<FactoryConfig, 'source' | 'runs'>;
type WorkspaceInput = Pick<RunInput, 'workspace' | 'payload' | 'run'>;

/** Makes the workspaces of the runs of one factory. Only its own repository and the listed ones can be checked out. */
export function createWorkspaces(factory: Places, environment: Environment): CheckOutWorkspace {
  const allowed = findAllowed(factory);
  return async (input, { dir, owner, signal }) => {
    if (input.workspace === null) return { ok: true, dir: null };
    const located = locateWorkspace(input.workspace, input, allowed);
    if (!located.ok) return located;
    const { location, ref } = located;
    const outcome = await checkOut({ location, ref, dir, owner, runGit, environment, signal });
    return outcome.ok ? { ok: true, dir } : outcome;
  };
}

/**
 * What a worker checks out for a run of this factory. The worker gets the credentials of `runs.workspaces`, which are for
 * runs, and never those of the source.
 */
export function createWorkerCheckouts(factory: Places): (input: WorkspaceInput) => WorkerCheckout | null {
  const allowed = findAllowed(factory);
  return (input) => {
    if (input.workspace === null) return null;
    const located = locateWorkspace(input.workspace, input, allowed);
    if (!located.ok) return { problem: located.problem };
    const { location, ref } = located;
    if (location.kind === 'local') return { url: location.path, ref, credentials: null };
    const { gitUrl: url, credentials, display } = location;
    if (credentials === null) return { url, ref, credentials: null };
    return location === allowed.own
      ? { problem: describeWithheld(display) }
      : { url, ref, credentials: { ...credentials, password: new SecretValue(credentials.password) } };
  };
}

interface Allowed {
  own: RepositoryLocation | null;
  /** A listed URL comes first, because it may have other credentials. */
  all: readonly RepositoryLocation[];
}

function findAllowed({ source, runs }: Places): Allowed {
  const own = source.type === 'repository' ? locate(source.url) : null;
  const all = [...runs.workspaces.map(({ url }) => locate(url)), own].filter((location) => location !== null);
  return { own, all };
}

type Located = { ok: true; location: RepositoryLocation; ref: string } | { ok: false; problem: string };

function locateWorkspace(workspace: WorkspacePolicy, { payload, run }: WorkspaceInput, { own, all }: Allowed): Located {
  const resolved = resolveWorkspace(workspace, payload, own === null ? null : run.revision);
  if (!resolved.ok) return resolved;
  const { repository, ref } = resolved.target;
  const wanted = repository === null ? own : readName(repository);
  // The configured location, never that of the text: the payload may have chosen the text.
  const location = wanted === null ? undefined : all.find((known) => nameOf(known) === nameOf(wanted));
  return location === undefined ? { ok: false, problem: describeMissing(repository) } : { ok: true, location, ref };
}

/** A text with credentials names no repository. */
function readName(text: string): RepositoryLocation | null {
  const named = locate(text);
  return named?.kind === 'remote' && named.credentials !== null ? null : named;
}

function locate(url: string): RepositoryLocation | null {
  const parsed = parseRepositoryUrl(url);
  return parsed.ok ? parsed.location : null;
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

function describeWithheld(display: string): string {
  return `workspace: workers do not get the credentials of the source of a factory; add ${display} with credentials for runs to runs.workspaces in dockbell.yaml`;
}
