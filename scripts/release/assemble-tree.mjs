// Unpacks the npm package into a folder that needs only Node.js: with its dependencies for one platform, completions and
// manual pages where shells and man expect them below a prefix.
// node scripts/release/assemble-tree.mjs PACKAGE.tgz PLATFORM FOLDER
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNpm } from '../run-npm.mjs';
import { findPlatform } from './platforms.mjs';
import { check } from './run-program.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Parts of dependencies that are only needed to compile them. */
const SOURCES = ['better-sqlite3/deps', 'better-sqlite3/src', 'better-sqlite3/binding.gyp', 'node-addon-api'];

/** Where each shell looks for the completion script, below a prefix. */
const COMPLETIONS = {
  bash: 'share/bash-completion/completions/dockbell',
  zsh: 'share/zsh/site-functions/_dockbell',
  fish: 'share/fish/vendor_completions.d/dockbell.fish',
};

/** Fills `folder`, which must be missing or empty. The platform can be another one than that of this machine. */
export function assembleTree(packageFile, platformName, folder) {
  const platform = findPlatform(platformName);
  mkdirSync(folder, { recursive: true });
  check('tar', spawnSync('tar', ['-xzf', packageFile, '--strip-components=1', '-C', folder]));
  installDependencies(platform, folder);
  mkdirSync(join(folder, 'bin'));
  // npm does this when it installs a package.
  chmodSync(join(folder, 'dist/main.js'), 0o755);
  symlinkSync('../dist/main.js', join(folder, 'bin/dockbell'));
  mkdirSync(join(folder, 'share/man'), { recursive: true });
  renameSync(join(folder, 'man'), join(folder, 'share/man/man1'));
  addCompletions(folder);
}

function addCompletions(folder) {
  for (const [shell, path] of Object.entries(COMPLETIONS)) {
    const program = join(folder, 'dist/main.js');
    const { stdout } = check('dockbell completion', spawnSync(process.execPath, [program, 'completion', shell]));
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), stdout);
  }
}

/** The dependencies of the lockfile for that platform, without the sources and binaries that it does not use. */
function installDependencies({ os, cpu, libc, sqlite }, folder) {
  const staging = mkdtempSync(join(tmpdir(), 'dockbell-dependencies-'));
  try {
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(ROOT, file), join(staging, file));
    const target = [`--os=${os}`, `--cpu=${cpu}`, ...(libc === null ? [] : [`--libc=${libc}`])];
    const options = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...target];
    check('npm ci', runNpm(['ci', ...options], { cwd: staging }));
    const modules = join(staging, 'node_modules');
    for (const path of ['.bin', '.package-lock.json', ...SOURCES])
      rmSync(join(modules, path), { recursive: true, force: true });
    const prebuilds = join(modules, 'better-sqlite3/prebuilds');
    for (const file of readdirSync(prebuilds)) if (file !== `${sqlite}.node`) rmSync(join(prebuilds, file));
    cpSync(modules, join(folder, 'node_modules'), { recursive: true });
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [packageFile, platformName, folder] = process.argv.slice(2);
  assembleTree(resolve(packageFile), platformName, resolve(folder));
}
