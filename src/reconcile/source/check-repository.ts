import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { GitMirror, type MirrorResult } from './git-mirror.ts';
import { runGit } from './git-process.ts';
import { parseRepositoryUrl } from './repository-url.ts';
import { DEFAULT_LIMITS, failed } from './source-limits.ts';

const TIMEOUT_MS = 20_000;

/** Asks a repository for the latest commit of a branch, as a fetch does first. Fetches and keeps nothing. */
export async function checkRepository(of: {
  url: string;
  branch: string;
  environment: Environment;
}): Promise<MirrorResult> {
  const url = parseRepositoryUrl(of.url);
  if (!url.ok) return failed('RepositoryRefused', url.message);
  const mirrorDir = await mkdtemp(join(tmpdir(), 'dockbell-check-'));
  try {
    const mirror = new GitMirror({
      location: url.location,
      branch: of.branch,
      mirrorDir,
      runGit,
      environment: of.environment,
      limits: { ...DEFAULT_LIMITS, fetchTimeoutMs: TIMEOUT_MS },
      signal: new AbortController().signal,
    });
    return await mirror.askForTip();
  } finally {
    await rm(mirrorDir, { recursive: true, force: true });
  }
}
