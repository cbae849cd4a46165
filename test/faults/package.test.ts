import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { runNpm } from '../../scripts/run-npm.mjs';
import { createBarePath } from '../helpers/bare-path.ts';
import { applyCiFactory, CI_TOKEN, configureCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { copyWorkTree } from '../helpers/copy-work-tree.ts';
import { eventually } from '../helpers/eventually.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { startTestDaemon } from '../helpers/test-daemon.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const VERSION = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;

const LOCKFILE = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { version?: string; dependencies?: Record<string, string> }>;
};
/** Packages with one variant per platform, of which npm installs one. */
const NATIVE = ['@node-rs/argon2', 'better-sqlite3'];

/** System programs that installation and daemon need: no compiler, no make, no Python. */
const PROGRAMS = ['sh', 'env', 'git', 'mkfifo', 'cat', 'uname'];

/** Runs a program without a compiler on the PATH and with an empty home. Returns its standard output. */
function runIn(surroundings: { path: string; home: string }, file: string, args: string[], cwd: string): string {
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_|^PATH$|^HOME$/i.test(name));
  const env = { ...Object.fromEntries(inherited), PATH: surroundings.path, HOME: surroundings.home };
  return execFileSync(file, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The work tree with the installed dependencies, and with the built documentation, which takes long to build. */
async function copyBuildTree(): Promise<string> {
  const folder = await copyWorkTree();
  mkdirSync(join(folder, '.cache'));
  for (const path of ['node_modules', 'site/node_modules', '.cache/docs'])
    symlinkSync(join(ROOT, path), join(folder, path));
  return folder;
}

/** Versions of npm that people use. Each is one archive with all of its dependencies. */
const NPM_VERSIONS = { 'npm-11': '11.21.2', 'npm-12': '12.2.0' } as const;
type NpmName = keyof typeof NPM_VERSIONS;
const NPM_DIR = createTempDir('npm');

function installNpm(name: NpmName): void {
  const prefix = join(NPM_DIR, name);
  mkdirSync(prefix);
  const { status, stderr } = runNpm(
    ['install', '--prefix', prefix, '--no-save', '--no-audit', '--no-fund', `npm@${NPM_VERSIONS[name]}`],
    { cwd: prefix, encoding: 'utf8' },
  );
  expect(status, String(stderr)).toBe(0);
}

function findNpm(name: NpmName): string {
  return join(NPM_DIR, name, 'node_modules/npm/bin/npm-cli.js');
}

describe('the package', () => {
  let clone: string;
  let tarball: string;
  let files: string[];

  beforeAll(async () => {
    for (const name of ['npm-11', 'npm-12'] as const) installNpm(name);
    clone = await copyBuildTree();
    const output = execFileSync(process.execPath, [findNpm('npm-12'), 'pack', '--json'], { cwd: clone });
    const packed = Object.values(JSON.parse(output.toString()))[0] as { filename: string; files: { path: string }[] };
    tarball = join(clone, packed.filename);
    files = packed.files.map(({ path }) => path);
  }, 300_000);

  it('contains the built program, dashboard, documentation and manual pages, and no source map', () => {
    const man = readdirSync(join(clone, 'man')).flatMap((name) => (name.endsWith('.1') ? [`man/${name}`] : []));
    const packed = execFileSync('tar', ['-xOf', tarball, 'package/package.json'], { encoding: 'utf8' });
    expect(JSON.parse(packed).man).toEqual(man.sort());
    expect(readFileSync(join(clone, 'package.json'), 'utf8')).toBe(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const built = ['dist/main.js', 'dist/dashboard/index.html', 'dist/docs/index.html.gz'];
    const expected = [...built, ...man, 'SECURITY.md', 'LICENSE'];
    expect(files).toEqual(expect.arrayContaining(expected));
    expect(files.filter((path) => /\.map$|\.built-from$|\.test\./.test(path))).toEqual([]);
  });

  it('needs only the native libraries, in exact versions, and contains all others in the locked versions', () => {
    const { dependencies = {} } = LOCKFILE.packages['']!;
    expect(Object.keys(dependencies)).toEqual(NATIVE);
    for (const name of NATIVE) expect(dependencies[name], name).toMatch(/^\d+\.\d+\.\d+$/);
    expect(files.filter((path) => path.startsWith('node_modules/'))).toEqual([]);
    const parts = [...readFileSync(join(clone, 'dist/licenses.md'), 'utf8').matchAll(/^## (\S+) - (\S+) \(.+\)$/gm)];
    expect(parts.map(([, name]) => name)).toEqual(expect.arrayContaining(['fastify', 'kysely', 'simple-git', 'yaml']));
    expect(parts.filter(([, name, version]) => !listLockedVersions(name!).includes(version!))).toEqual([]);
  });

  it.each(['npm-11', 'npm-12'] as const)(
    'installed by %s without a compiler, validates and serves a factory',
    async (npm) => {
      const prefix = createTempDir('prefix');
      const surroundings = { path: createBarePath(PROGRAMS), home: createTempDir('home') };
      const install = [findNpm(npm), 'install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', tarball];
      runIn(surroundings, process.execPath, install, prefix);
      const installed = join(prefix, 'lib/node_modules/dockbell');
      const dockbell = (...args: string[]) => runIn(surroundings, join(prefix, 'bin/dockbell'), args, prefix);

      expect(dockbell('--version').trim()).toBe(VERSION);
      expect(dockbell('validate', join(installed, 'example-factory'))).toContain('Valid');
      expect(findUntestedVersions(installed)).toEqual([]);
      mkdirSync(join(prefix, 'broken/webhooks'), { recursive: true });
      writeFileSync(join(prefix, 'broken/webhooks/ci.yaml'), 'secretName: 1\n');
      const sarif = runIn(surroundings, 'sh', ['-c', 'bin/dockbell validate --format sarif broken || true'], prefix);
      expect(JSON.parse(sarif).runs[0].tool.driver.rules.length).toBeGreaterThan(0);
      expect(dockbell('explain', 'webhook/unknown-key')).toContain('deliveryIdHeader');
      const linked = join(prefix, 'share/man/man1/dockbell-explain.1');
      // npm 12 links no manual pages.
      expect(existsSync(linked)).toBe(npm === 'npm-11');

      const repo = await createCiRepository();
      const daemon = await startTestDaemon({
        config: configureCiFactory(repo, ['/bin/sh', '-c', 'cat "$DOCKBELL_PAYLOAD"']),
        program: { node: process.execPath, main: join(installed, 'dist/main.js') },
      });
      const uid = await applyCiFactory(daemon);
      const answer = await fetch(`${daemon.ingressUrl}/webhooks/w/${uid}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${CI_TOKEN}`, 'content-type': 'application/json' },
        body: '{"start": true}',
      });
      expect(answer.status).toBe(202);
      const listSucceeded = async () => (await daemon.api('/factories/payments/runs?state=succeeded')).body.data.length;
      await eventually(async () => (await listSucceeded()) === 2, 60_000);
      expect(await fetch(daemon.adminUrl).then((page) => page.text())).toContain('<title>Dockbell');
      expect(await daemon.end('SIGTERM')).toBe(0);
      repo.remove();
    },
    300_000,
  );
});

/** Each version of a package in the lockfile, at the top level and nested in other packages. */
function listLockedVersions(name: string): (string | undefined)[] {
  const places = Object.entries(LOCKFILE.packages).filter(([path]) => `/${path}`.endsWith(`/node_modules/${name}`));
  return places.map(([, { version }]) => version);
}

/** The installed packages whose version differs from the one that this clone is tested with. */
function findUntestedVersions(installed: string): string[] {
  const present = listPackages(join(installed, 'node_modules'));
  expect(present).toEqual(expect.arrayContaining(NATIVE.map((name) => join(installed, 'node_modules', name))));
  return present.filter((folder) => {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
    return LOCKFILE.packages[relative(installed, folder)]?.version !== version;
  });
}

/** The folder of each package below `node_modules`, including nested packages. */
function listPackages(nodeModules: string): string[] {
  if (!existsSync(nodeModules)) return [];
  const names = readdirSync(nodeModules).filter((name) => !name.startsWith('.'));
  const folders = names.flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(nodeModules, name)).map((inner) => join(name, inner)) : [name],
  );
  return folders.flatMap((name) => {
    const folder = join(nodeModules, name);
    return [folder, ...listPackages(join(folder, 'node_modules'))];
  });
}
