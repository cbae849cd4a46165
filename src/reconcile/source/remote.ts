import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceFailed } from '../../domain/ports/sources.ts';
import { makeFolder } from '../../platform/files/make-folder.ts';
import type { GitCommand } from './git-process.ts';
import { formatPackWindows, resolveLocalRepository, trustInConfig } from './local-repository.ts';
import { hasUnprintable, quote } from './printable-text.ts';
import type { RepositoryLocation } from './repository-url.ts';
import { failed } from './source-limits.ts';

/** The repository as arguments of git: an address without secrets, and settings that the environment passes. */
export interface Remote {
  ok: true;
  address: string;
  settings: Partial<GitCommand>;
  /** Content of the file of `settings.globalConfigFile`, for a local repository. */
  globalConfig: string | null;
}

/** The beginning of each fetch. Only the named refs are fetched, and nothing is executed (G2). */
export const FETCH: readonly string[] = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
  '--no-auto-gc',
];

/** Finds the repository. Writes nothing. */
export async function locateRemote({
  location,
  branch,
  mirrorDir,
}: {
  location: RepositoryLocation;
  branch: string;
  mirrorDir: string;
}): Promise<Remote | SourceFailed> {
  if (!isBranchName(branch)) {
    return failed('RepositoryRefused', `${quote(branch)} is not a valid branch name.`);
  }
  if (location.kind === 'remote') {
    const { protocol, origin, credentials, gitUrl } = location;
    return {
      ok: true,
      address: gitUrl,
      settings: { protocol, credentials: credentials && { ...credentials, origin } },
      globalConfig: null,
    };
  }
  const local = await resolveLocalRepository(location.path);
  if (local === null) return failed('RepositoryMissing', `No git repository exists at ${quote(location.path)}.`);
  const { commonDir } = local;
  return {
    ok: true,
    address: commonDir,
    settings: { protocol: 'file', globalConfigFile: join(mirrorDir, 'gitconfig') },
    globalConfig: `${await trustInConfig(commonDir)}${formatPackWindows()}`,
  };
}

/** Writes the configuration file that the settings of a local repository name. */
export async function writeRemoteConfig({ globalConfig, settings }: Remote, mirrorDir: string): Promise<void> {
  if (globalConfig === null) return;
  await makeFolder(mirrorDir, { mode: 0o700 });
  await writeFile(settings.globalConfigFile!, globalConfig);
}

/** Follows `git check-ref-format`. A valid name can be neither an option nor a pattern. */
function isBranchName(name: string): boolean {
  if (name === '' || name === '@' || name.startsWith('-') || name.length > 255) return false;
  if (hasUnprintable(name) || /[ ~^:?*[\\]|\.\.|@\{|\/\/|\.$|^\/|\/$/.test(name)) return false;
  return name.split('/').every((segment) => !segment.startsWith('.') && !segment.endsWith('.lock'));
}
