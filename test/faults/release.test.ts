import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN, configureCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { hasProgram } from '../helpers/has-program.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { startTestDaemon } from '../helpers/test-daemon.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const NAME = `dockbell-${version}`;
const PLATFORMS = ['linux-x64', 'linux-arm64-musl'];

/** Runs a dry release in a shell, so that the second one can have other surroundings. Returns its output. */
function release(folder: string, surroundings: string): string {
  const args = ['--dry-run', '--output', folder, ...PLATFORMS.flatMap((platform) => ['--platform', platform])];
  const script = `${surroundings}; exec "$@"`;
  const command = [process.execPath, 'scripts/release.mjs', ...args];
  return execFileSync('/bin/sh', ['-c', script, 'sh', ...command], { cwd: ROOT, encoding: 'utf8' });
}

/** The state of the folders that a build in the work tree would change. */
function describeWorkTree(): unknown {
  const status = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' });
  return [status, statSync(join(ROOT, 'dist')).mtimeMs, readdirSync(ROOT)];
}

describe.runIf(process.platform === 'linux' && hasProgram('tar'))('a dry run of a release', () => {
  const [first, second] = [join(createTempDir('release'), 'one'), join(createTempDir('release'), 'two')];
  let printed: string;
  let before: unknown;

  beforeAll(() => {
    before = describeWorkTree();
    printed = release(first, 'umask 022');
    release(second, 'umask 077; export TZ=Asia/Tokyo LC_ALL=C');
  });

  it('prints the commands that publish, and changes nothing outside its folder', () => {
    expect(printed).toContain(`would run: npm publish ${first}/${NAME}.tgz --provenance --access public`);
    expect(printed).toContain(`would run: gh release create v${version} --verify-tag`);
    expect(describeWorkTree()).toEqual(before);
  });

  it('makes the package, tarballs, bill of materials and notes, with their checksums', () => {
    const files = [
      ...PLATFORMS.map((platform) => `${NAME}-${platform}.tar.gz`),
      `${NAME}.cdx.json`,
      `${NAME}.tgz`,
    ].sort();
    expect(readdirSync(first).sort()).toEqual(['SHA256SUMS', ...files, 'release-notes.md']);
    const sums = readFileSync(join(first, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
    expect(sums).toEqual(files.map((name) => `${hash(join(first, name))}  ${name}`));
  });

  it('has the newest notes, and says what a release would stop at', () => {
    const [, newest = ''] = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').split(/^## .*$/m);
    expect(readFileSync(join(first, 'release-notes.md'), 'utf8').trim()).toBe(newest.trim());
    if (version.endsWith('-dev'))
      expect(printed).toContain(`${version} in package.json is not the version of a release`);
  });

  it('makes the same bytes again, also with another umask and time zone', () => {
    const hashAll = (folder: string) => readdirSync(folder).map((name) => [name, hash(join(folder, name))]);
    expect(hashAll(second)).toEqual(hashAll(first));
  });

  it('lists what the package contains in the bill of materials, and no tool of the build', () => {
    const sbom = JSON.parse(readFileSync(join(first, `${NAME}.cdx.json`), 'utf8')) as {
      bomFormat: string;
      components: { name: string; group?: string }[];
    };
    const names = sbom.components.map(({ name, group }) => (group === undefined ? name : `${group}/${name}`));
    expect(sbom.bomFormat).toBe('CycloneDX');
    expect(names.join(' ')).toMatch(/better-sqlite3.*fastify.*react/);
    expect(names).not.toContain('vitest');
  });

  it('makes a tarball that needs only Node.js and git', async () => {
    const folder = createTempDir('unpacked');
    execFileSync('tar', ['-xzf', join(first, `${NAME}-linux-x64.tar.gz`), '-C', folder]);
    const unpacked = join(folder, `${NAME}-linux-x64`);
    expect(listNative(unpacked)).toEqual(['argon2.linux-x64-gnu.node', 'linux-x64.node']);
    for (const file of ['share/man/man1/dockbell.1', 'share/zsh/site-functions/_dockbell', 'LICENSE']) {
      expect(statSync(join(unpacked, file)).size, file).toBeGreaterThan(500);
    }
    const path = join(folder, 'path');
    mkdirSync(path);
    symlinkSync(process.execPath, join(path, 'node'));
    symlinkSync(join(unpacked, 'bin/dockbell'), join(path, 'dockbell'));
    const shown = execFileSync('/usr/bin/env', ['dockbell', '--version'], { env: { PATH: path }, encoding: 'utf8' });
    expect(shown.trim()).toBe(version);
    const args = ['dockbell', 'version', '-o', 'json'];
    const identity = JSON.parse(execFileSync('/usr/bin/env', args, { env: { PATH: path }, encoding: 'utf8' }));
    expect(identity.commit).toContain(
      execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim(),
    );
    expect(identity.built_at).toMatch(/^\d{4}-\d\d-\d\dT/);

    const repo = await createCiRepository();
    const daemon = await startTestDaemon({
      config: configureCiFactory(repo, ['/bin/cat']),
      program: { node: process.execPath, main: join(unpacked, 'bin/dockbell') },
    });
    const uid = await applyCiFactory(daemon);
    const headers = { authorization: `Bearer ${CI_TOKEN}` };
    const answer = await fetch(`${daemon.ingressUrl}/webhooks/w/${uid}`, { method: 'POST', headers, body: '{}' });
    expect(answer.status).toBe(202);
    const user = { name: 'alice', role: 'viewer', password: 'correct horse battery staple' };
    expect((await daemon.api('/users', { method: 'POST', body: user })).status).toBe(201);
    expect(await daemon.end('SIGTERM')).toBe(0);
    repo.remove();
  });

  it('makes tarballs for other platforms with the binaries of these', () => {
    const folder = createTempDir('unpacked');
    execFileSync('tar', ['-xzf', join(first, `${NAME}-linux-arm64-musl.tar.gz`), '-C', folder]);
    expect(listNative(folder)).toEqual(['argon2.linux-arm64-musl.node', 'linuxmusl-arm64.node']);
  });
});

function hash(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** Names of the binaries in all packages. */
function listNative(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((name) => name.endsWith('.node'))
    .map((name) => name.slice(name.lastIndexOf('/') + 1))
    .sort();
}
