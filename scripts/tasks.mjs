import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withMemoryFolder } from './memory-folder.mjs';
import { startNpm } from './run-npm.mjs';

const PROVIDERS = 'test/providers';
const SITE = 'site';
const BIOME = ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'];
const PROSE = ['scripts/check-prose.ts'];
const DEPCRUISE = 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs';
// By content, because the times of files change with every checkout.
const ARROWS_CACHE = ['--cache', '.cache/arrows', '--cache-strategy', 'content'];
const ARROWS = [DEPCRUISE, '--config', '.dependency-cruiser.cjs', ...ARROWS_CACHE, 'src'];
const DEAD_CODE = ['node_modules/knip/bin/knip.js'];
const TSC = 'node_modules/typescript7/bin/tsc';
/** Checks only the files that a change concerns. Tests run on the same two cores, so threads would cost more time than they save. */
const checkTypes = (project) => {
  const known = `.cache/types/${project.replaceAll('/', '-')}.tsbuildinfo`;
  return [TSC, '-p', project, '--singleThreaded', '--incremental', '--tsBuildInfoFile', known];
};
const TYPES = ['tsconfig.json', 'src/dashboard'].map(checkTypes);
const VITEST = ['node_modules/vitest/vitest.mjs', 'run'];
/** The tests that every change needs. CONTRIBUTING.md says which they are. */
const MAIN_TESTS = [...VITEST, '--tags-filter=!full', '--project=!documents'];
/** Their tests all run in `npm run test:full`. */
const DOCUMENTS = 'test/docs/';
const BENCHMARK_TESTS = [...VITEST, '--config', 'vitest.full.ts', '--passWithNoTests'];
const TSX = 'node_modules/tsx/dist/cli.mjs';
/** Tasks of `node scripts/launch.mjs`. Each gets the remaining arguments and resolves to an exit code. */
const TASKS = {
  start: async (args) => (await install(['.'])) || (await build(['program', 'dashboard'])) || start(args),
  build: async () => (await install(['.', SITE])) || build(),
  check: async () => (await install(['.', PROVIDERS, SITE])) || (await build()) || check(),
  test: async (args) => (await install(['.', PROVIDERS])) || (await build(TESTED)) || test(args),
  durations: async () => {
    process.env.DOCKBELL_DURATIONS = 'write';
    const code = (await install(['.', PROVIDERS, SITE])) || (await build()) || (await run(MAIN_TESTS));
    process.env.DOCKBELL_DURATIONS = 'add';
    return worst([code, await runFurther()]);
  },
  faults: async (args) =>
    (await install(['.', PROVIDERS, SITE])) ||
    (await build()) ||
    run([...VITEST, '--config', 'vitest.faults.ts', ...args]),
  full: async (args) => (await install(['.', PROVIDERS, SITE])) || (await build()) || full(args),
  mutations: async (args) =>
    (await install(['.', PROVIDERS])) || (await build([])) || run(['test/mutations/run-mutations.ts', ...args]),
  generate: async () => (await install(['.'])) || generate(),
  bench: async (args) => (await install(['.', SITE])) || (await build()) || run([TSX, 'bench/main.ts', ...args]),
  measure: async (args) => (await install(['.'])) || run(['scripts/measure.ts', ...args]),
};

/** Runs the task with that name and resolves to its exit code. */
export async function runTask(name, args) {
  const task = TASKS[name];
  if (task === undefined) throw new Error(`Usage: node scripts/launch.mjs ${Object.keys(TASKS).join('|')}`);
  return task(args);
}

/** Installs the locked dependencies of each folder in which they are missing or outdated. */
async function install(folders, stdio = 'inherit') {
  const stale = folders.filter((folder) => !isInstalled(folder));
  if (stale.length === 0) return 0;
  if (stdio === 'inherit')
    console.log(
      `Installing dependencies${stale.includes(PROVIDERS) ? " and the providers' SDKs for the tests" : ''} ...`,
    );
  return worst(await Promise.all(stale.map((folder) => installFolder(folder, stdio))));
}

async function installFolder(folder, stdio) {
  const options = ['--no-audit', '--no-fund', '--loglevel=error'];
  const code = await settle(startNpm(['ci', ...options], { cwd: folder, stdio }));
  if (code === 0) writeFileSync(stampOf(folder), hashLockfile(folder));
  return code;
}

/** Are the dependencies of the folder those of its lockfile? */
export function isInstalled(folder) {
  const stamp = stampOf(folder);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashLockfile(folder);
}

/** File with the hash of the installed lockfile. File times cannot be used, because every checkout changes them. */
function stampOf(folder) {
  return join(folder, 'node_modules/.installed-lockfile');
}

function hashLockfile(folder) {
  return createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
}

/** The parts that `npm test` needs: the site and the manual pages are tested by `npm run test:full`. */
const TESTED = ['program', 'dashboard'];

/** Makes the parts, after the files that they need and git does not have. */
async function build(parts = ['program', 'dashboard', 'docs', 'man-pages']) {
  const code = await run(['scripts/build-api.mjs']);
  if (code !== 0) return code;
  return worst(await Promise.all(parts.map((part) => run([`scripts/build-${part}.mjs`]))));
}

/** Renews every generated file: schemas, types, reference pages, and the generated parts of other documents. */
async function generate() {
  const code = (await run([TSX, 'scripts/generate.ts'])) || (await build(['program', 'man-pages']));
  if (code !== 0) return code;
  // The tests of documents write the generated parts of documents. The built site is still that of the documents before.
  process.env.UPDATE_DOCS = '1';
  const tests = readdirSync('test/docs').filter((name) => !name.startsWith('docs-site.'));
  return runQuietly([...VITEST, ...tests.map((name) => `test/docs/${name}`)]);
}

/** Runs the demo. Its documentation is built meanwhile, so that nobody waits for it. */
async function start(args) {
  const docs = install([SITE], 'ignore').then(() => runQuietly(['scripts/build-docs.mjs']));
  const code = await run(['dist/main.js', 'demo', ...args]);
  await docs;
  return code;
}

async function check() {
  return worst(await Promise.all([BIOME, PROSE, ARROWS, DEAD_CODE, ...TYPES].map(runQuietly)));
}

/** Runs lint and import rules first, because they fail within seconds. Types are checked during the tests and printed after them. */
async function test(args) {
  const early = worst(await Promise.all([BIOME, PROSE, ARROWS].map(runQuietly)));
  if (early !== 0) return early;
  const types = Promise.all(TYPES.map(runQuietly));
  const tests = await withMemoryFolder(() => run([...MAIN_TESTS, ...args]));
  return worst([tests, ...(await types)]);
}

/** Runs what `test` omits: dead code, documents, the tests with the tag `full`, then the benchmarks. */
async function full(args) {
  const early = await runQuietly(DEAD_CODE);
  if (early !== 0) return early;
  const further = args.length > 0 ? await run([...VITEST, '--passWithNoTests', ...args]) : await runFurther();
  return worst([further, await run([...BENCHMARK_TESTS, ...args])]);
}

/** Runs the tests with the tag; all tests of a file in which one of them continues what the tests before it did. */
async function runFurther() {
  const files = globSync('{src,test}/**/*.test.ts', { exclude: (path) => path.includes('node_modules') });
  const tagged = files.filter((file) => !file.startsWith(DOCUMENTS)).filter(has("'full'"));
  const whole = tagged.filter(has("'continues'"));
  const alone = tagged.filter((file) => !whole.includes(file));
  const independent = await run([...VITEST, '--tags-filter=full', ...alone]);
  return worst([independent, await run([...VITEST, ...whole, DOCUMENTS])]);
}

/** Whether a file contains the text. */
function has(text) {
  return (path) => readFileSync(path, 'utf8').includes(text);
}

/** Runs a script with this Node.js and the same terminal. Resolves to its exit code. */
function run(args) {
  return settle(spawn(process.execPath, args, { stdio: 'inherit' }));
}

/** Like `run`, but prints the output of the script only if it failed, after its end. */
async function runQuietly(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const written = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => written.push(chunk));
  const code = await settle(child);
  if (code !== 0) process.stderr.write(`${Buffer.concat(written)}\nFailed: node ${args.join(' ')}\n`);
  return code;
}

/** Resolves to the exit code of a child process. Forwards signals of this process to it. */
function settle(child) {
  const forward = (signal) => child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      for (const signal of signals) process.off(signal, forward);
      resolve(code ?? 1);
    });
  });
}

function worst(codes) {
  return Math.max(0, ...codes);
}
