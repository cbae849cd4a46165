import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyWithPackages } from '../helpers/copy-work-tree.ts';
import type { Mutation } from './mutation.ts';
import { MUTATIONS } from './mutations.ts';

const USAGE = `Usage: npm run test:mutations -- [--from NAME | NAME ...]
Applies one mutation after another to a copy of the work tree, and runs its test file, which has to fail.
Without a name, all mutations are tried. --from continues with this one.`;

/** The result of a mutation. Only `found` is good: a test failed. */
type Outcome = 'found' | 'survived' | 'text not found' | 'no test ran';

/** Results of vitest, as its reporter `json` writes them. */
interface Results {
  success: boolean;
  testResults: { message: string; assertionResults: { status: string; fullName: string }[] }[];
}

/** `npm run test:mutations` */
const selected = selectMutations();
if (selected === null) {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 2;
} else {
  const folder = await copyWithPackages();
  process.exitCode = passUnchanged(folder, selected) && tryAll(folder, selected) ? 0 : 1;
}

function selectMutations(): readonly Mutation[] | null {
  const { values, positionals } = parseArgs({ options: { from: { type: 'string' } }, allowPositionals: true });
  const names = values.from === undefined ? positionals : [values.from];
  if (!names.every((name) => MUTATIONS.some((mutation) => mutation.name === name))) return null;
  if (values.from !== undefined) return MUTATIONS.slice(MUTATIONS.findIndex(({ name }) => name === values.from));
  return names.length === 0 ? MUTATIONS : MUTATIONS.filter(({ name }) => names.includes(name));
}

/** A test that fails anyway proves nothing. */
function passUnchanged(folder: string, mutations: readonly Mutation[]): boolean {
  const tests = [...new Set(mutations.map(({ test }) => test))];
  process.stdout.write(`Running ${tests.length} test files without a mutation ...\n`);
  const results = runTests(folder, tests);
  if (results?.success === true) return true;
  const problems =
    results === null ? [] : [...listTests(results, 'failed'), ...results.testResults.map(({ message }) => message)];
  process.stderr.write(`Tests fail without a mutation:\n${problems.join('\n')}\n`);
  return false;
}

function tryAll(folder: string, mutations: readonly Mutation[]): boolean {
  const bad = mutations.filter((mutation) => {
    const startMs = performance.now();
    const outcome = tryMutation(folder, mutation);
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    process.stdout.write(`${outcome.padEnd(14)} ${seconds.padStart(6)} s  ${mutation.name}\n`);
    return outcome !== 'found';
  });
  for (const { name, defect, file, test } of bad) process.stderr.write(`\n${name}: ${defect}\n  ${file}, ${test}\n`);
  process.stdout.write(`\n${mutations.length - bad.length} of ${mutations.length} mutations were found.\n`);
  return bad.length === 0;
}

function tryMutation(folder: string, { file, text, replacement, test }: Mutation): Outcome {
  const path = join(folder, file);
  const source = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (source.split(text).length !== 2) return 'text not found';
  writeFileSync(
    path,
    source.replace(text, () => replacement),
  );
  const results = runTests(folder, [test]);
  writeFileSync(path, source);
  if (results === null) return 'no test ran';
  if (listTests(results, 'failed').length > 0) return 'found';
  return listTests(results, 'passed').length > 0 ? 'survived' : 'no test ran';
}

function listTests({ testResults }: Results, wanted: 'failed' | 'passed'): string[] {
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  return all.filter(({ status }) => status === wanted).map(({ fullName }) => fullName);
}

/** Stops at the first failure. `null` if the tests could not be run. */
function runTests(folder: string, files: readonly string[]): Results | null {
  const output = join(folder, 'results.json');
  rmSync(output, { force: true });
  const args = ['--bail=1', '--testTimeout=60000', '--reporter=json', `--outputFile=${output}`];
  const options = { cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] as ['ignore', 'ignore', 'ignore'] };
  spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...args, ...files], options);
  return existsSync(output) ? (JSON.parse(readFileSync(output, 'utf8')) as Results) : null;
}
