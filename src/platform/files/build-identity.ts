import { existsSync, readFileSync } from 'node:fs';
import { builtFile } from './package-files.ts';
import { readPackageVersion } from './package-version.ts';

/** What `scripts/build-identity.ts` writes. SQLite is a dependency with an exact version, so it is that of the build. */
interface Built {
  commit: string | null;
  builtAt: string | null;
  sqlite: string | null;
}

const NOT_BUILT: Built = { commit: null, builtAt: null, sqlite: null };

/** The identity of the installed or built program. Sources without a build know only their version. */
export function readBuildIdentity() {
  const { commit, builtAt, sqlite } = readBuilt();
  return { version: readPackageVersion(), commit, builtAt, node: process.versions.node, sqlite };
}

function readBuilt(): Built {
  const file = builtFile('build.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : NOT_BUILT;
}
