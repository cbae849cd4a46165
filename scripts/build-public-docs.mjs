// Builds the documentation of all versions for a web host: node scripts/build-public-docs.mjs --base /dockbell/ --output DIR
// DIR gets a folder for each version, the list of versions for their menus, and pages that lead to the latest version. The
// pages of a version are built by the code of its tag, so an old version stays as it was.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { renderForwardPage } from './forward-page.mjs';
import { check, runProgram } from './release/run-program.mjs';
import { runNpm } from './run-npm.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The pages of the checked-out commit. */
const UNRELEASED = 'main';
/** What a tag must contain: version 0.1.0 has no site. */
const SETTINGS = 'site/settings.mjs';

try {
  const { values } = parseArgs({ options: { base: { type: 'string' }, output: { type: 'string' } } });
  if (values.base === undefined || values.output === undefined) throw new Error('--base and --output are required');
  buildAll(completeBase(values.base), resolve(values.output));
} catch (error) {
  console.error(`The documentation was not built: ${error.message}`);
  process.exitCode = 1;
}

function buildAll(base, output) {
  mkdirSync(output, { recursive: true });
  if (readdirSync(output).length > 0) throw new Error(`${output} is not empty`);
  const releases = listReleases();
  buildVersion(ROOT, UNRELEASED, base, output);
  for (const version of releases) buildRelease(version, base, output);
  const versions = [...releases, UNRELEASED].map((version) => ({ version, path: `${base}${version}/` }));
  writeFileSync(join(output, 'versions.json'), JSON.stringify(versions, null, 2));
  const latest = { url: versions[0].path, label: 'The latest version of the documentation' };
  const pages = {
    'index.html': { title: 'Documentation of Dockbell', ...latest, isImmediate: true },
    '404.html': { title: 'This page does not exist', ...latest, isImmediate: false },
  };
  for (const [name, page] of Object.entries(pages)) writeFileSync(join(output, name), renderForwardPage(page));
}

/** A path with a slash at both ends. GitHub Pages reports a path without the last one, and an empty one for a custom domain. */
function completeBase(path) {
  const base = `${path.replace(/\/+$/, '')}/`;
  if (!/^\/(?:[\w.-]+\/)*$/.test(base)) throw new Error(`--base must be an absolute path, but is "${path}"`);
  return base;
}

/** The latest patch release of each minor version that has a site, newest first. */
function listReleases() {
  const { stdout } = check('git tag', runProgram('git', ['tag', '--list', 'v*'], ROOT));
  const tagged = stdout.split('\n').flatMap((tag) => /^v(\d+)\.(\d+)\.(\d+)$/.exec(tag)?.slice(1).map(Number) ?? []);
  const all = Array.from({ length: tagged.length / 3 }, (_, index) => tagged.slice(3 * index, 3 * index + 3));
  const sorted = all.sort((a, b) => b[0] - a[0] || b[1] - a[1] || b[2] - a[2]);
  const isLatest = ([major, minor], index) => sorted.findIndex((one) => one[0] === major && one[1] === minor) === index;
  return sorted
    .filter(isLatest)
    .map((numbers) => numbers.join('.'))
    .filter((version) => runProgram('git', ['cat-file', '-e', `v${version}:${SETTINGS}`], ROOT).status === 0);
}

function buildRelease(version, base, output) {
  const folder = mkdtempSync(join(tmpdir(), 'dockbell-docs-'));
  try {
    check('git worktree add', runProgram('git', ['worktree', 'add', '--detach', folder, `v${version}`], ROOT));
    buildVersion(folder, version, base, output);
  } finally {
    runProgram('git', ['worktree', 'remove', '--force', folder], ROOT);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Packages with the lockfile of the checked-out commit are not installed again. */
function installPackages(folder, path) {
  const [modules, known] = [folder, ROOT].map((root) => join(root, path, 'node_modules'));
  if (existsSync(modules)) return;
  const [lockfile, knownLockfile] = [folder, ROOT].map((root) => readFileSync(join(root, path, 'package-lock.json')));
  const options = ['--no-audit', '--no-fund', '--loglevel=error'];
  if (folder !== ROOT && lockfile.equals(knownLockfile)) symlinkSync(known, modules);
  else check('npm ci', runNpm(['ci', ...options], { cwd: join(folder, path) }));
}

/** Builds the pages of a work tree. Some are made by its code, so they need its packages and those of the site generator. */
function buildVersion(folder, version, base, output) {
  console.log(`documentation of ${version}`);
  for (const path of ['', 'site']) installPackages(folder, path);
  const env = {
    ...process.env,
    DOCS_BASE: `${base}${version}/`,
    DOCS_OUT: join(output, version),
    DOCS_VERSION: version,
    DOCS_VERSIONS: `${base}versions.json`,
  };
  check('build-docs.mjs', runProgram(process.execPath, ['scripts/build-docs.mjs'], folder, env));
}
