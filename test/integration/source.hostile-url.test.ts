import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runGit } from '../../src/reconcile/source/git-process.ts';
import { createGitSource } from '../../src/reconcile/source/git-source.ts';
import { startGitHttpServer } from '../helpers/git-http-server.ts';
import { createTempGitRepo } from '../helpers/temp-git-repo.ts';

let dir: string;
let canary: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dockbell-hostile-'));
  canary = join(dir, 'canary');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function fetchOnce(options: { url: string; branch?: string; environment?: Record<string, string | undefined> }) {
  const { url, branch = 'main', environment = process.env } = options;
  const mirrorDir = join(dir, 'mirror');
  const source = createGitSource({ url, branch, path: '.', mirrorDir, pollIntervalMs: 1000, environment });
  try {
    return await source.fetch();
  } finally {
    await source.close();
  }
}

const HOSTILE: ((canary: string) => string)[] = [
  (path) => `--upload-pack=touch ${path}`,
  (path) => `-utouch ${path}`,
  (path) => `ext::sh -c "touch% ${path}"`,
  (path) => `EXT::sh -c "touch% ${path}"`,
  (path) => `ext::touch ${path}`,
  (path) => `-oProxyCommand=touch ${path}`,
  (path) => `ssh://-oProxyCommand=touch%20${path}/x`,
  (path) => `ssh://-oProxyCommand=touch\t${path}/x`,
  (path) => `git@-oProxyCommand=touch ${path}:x`,
  () => 'fd::7',
  (path) => `https://example.com/x\next::touch ${path}`,
  (path) => `file:///x\n--upload-pack=touch ${path}`,
  (path) => `\`touch ${path}\``,
  (path) => `$(touch ${path}):x`,
];

describe('A hostile URL (G1)', () => {
  it.each(HOSTILE.map((build) => build('CANARY')))('%j is rejected and starts nothing', async (url) => {
    const answer = await fetchOnce({ url: url.replace('CANARY', canary) });
    expect(answer).toMatchObject({ ok: false, reason: 'RepositoryRefused' });
    expect(existsSync(canary)).toBe(false);
    expect(existsSync(join(dir, 'mirror'))).toBe(false);
  });

  it.each(['--upload-pack=x', 'a b', 'a..b', '', 'a:b', 'x.lock', '@{-1}', 'refs/*'])(
    'with the branch %j is rejected',
    async (branch) => {
      const repo = await createTempGitRepo();
      expect(await fetchOnce({ url: repo.path, branch })).toMatchObject({ ok: false, reason: 'RepositoryRefused' });
      repo.remove();
    },
  );

  it('would be rejected by git itself', async () => {
    const start = (protocol?: 'file') =>
      runGit({
        args: ['ls-remote', '--', `ext::sh -c "touch% ${canary}"`],
        environment: process.env,
        timeoutMs: 10_000,
        maxOutputBytes: 1000,
        ...(protocol ? { protocol } : {}),
      });
    expect(await start()).toMatchObject({ code: 128, stderr: expect.stringContaining("'ext' not allowed") });
    expect(await start('file')).toMatchObject({ code: 128, stderr: expect.stringContaining("'ext' not allowed") });
    expect(existsSync(canary)).toBe(false);
  });
});

describe('Settings that are not ours (G1)', () => {
  it("of the user and of the repository's own config run nothing", async () => {
    const repo = await createTempGitRepo();
    const revision = await repo.commit({ 'webhooks/a.yaml': 'a' });
    const home = join(dir, 'home');
    const touch = join(dir, 'touch-canary');
    writeFileSync(touch, `#!/bin/sh\ntouch ${canary}\nexit 1\n`);
    chmodSync(touch, 0o755);
    mkdirSync(home);
    const config = [
      `[core]\n\tfsmonitor = ${touch}\n\thooksPath = ${dir}\n\tsshCommand = ${touch}\n\tgitProxy = ${touch}\n\talternateRefsCommand = ${touch}`,
      `[uploadpack]\n\tpackObjectsHook = ${touch}`,
      `[url "ext::${touch} "]\n\tinsteadOf = ${repo.path}`,
      `[credential]\n\thelper = ${touch}\n[protocol]\n\tallow = always\n`,
    ].join('\n');
    writeFileSync(join(home, '.gitconfig'), config);
    writeFileSync(join(repo.path, '.git', 'config'), `${readFileSync(join(repo.path, '.git', 'config'))}\n${config}`);
    const environment = {
      PATH: process.env.PATH,
      HOME: home,
      GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${touch}'`,
      GIT_EXTERNAL_DIFF: touch,
      GIT_ASKPASS: touch,
      SSH_ASKPASS: touch,
      GIT_PROXY_COMMAND: touch,
      GIT_EXEC_PATH: dir,
    };
    expect(await fetchOnce({ url: repo.path, environment })).toEqual({ ok: true, revision });
    expect(existsSync(canary)).toBe(false);
    repo.remove();
  });
});

describe('Credentials in a URL (S2)', () => {
  const password = 'hunter2%3Acanary';
  const authorization = `Basic ${Buffer.from('deploy:hunter2:canary').toString('base64')}`;

  it('reach their server, but no argument of a process, no message and no file', async () => {
    const repo = await createTempGitRepo({ bare: true });
    const revision = await repo.commit({ 'webhooks/a.yaml': 'a' });
    const server = await startGitHttpServer({ root: repo.root, authorization });
    const log = join(dir, 'arguments');
    const bin = join(dir, 'bin');
    mkdirSync(bin);
    writeFileSync(
      join(bin, 'git'),
      `#!/bin/sh\nprintf '%s ' "$@" >> ${log}\nexec /usr/bin/env PATH="$REAL" git "$@"\n`.replace(
        '$REAL',
        process.env.PATH ?? '',
      ),
    );
    chmodSync(join(bin, 'git'), 0o755);
    const url = `${server.url.replace('//', `//deploy:${password}@`)}/origin.git`;
    const environment = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
    expect(await fetchOnce({ url, environment })).toEqual({ ok: true, revision });
    const given = readFileSync(log, 'utf8');
    expect(given).toContain(`${server.url}/origin.git`);
    expect(given).not.toMatch(/hunter2|deploy/);
    for (const name of ['config', 'dockbell-origin']) {
      expect(readFileSync(join(dir, 'mirror', 'mirror.git', name), 'utf8')).not.toMatch(/hunter2|deploy/);
    }
    await server.close();
    repo.remove();
  });

  it('that are wrong are answered with a sentence that does not hold them', async () => {
    const repo = await createTempGitRepo({ bare: true });
    const server = await startGitHttpServer({ root: repo.root, authorization });
    const url = `${server.url.replace('//', '//deploy:wrongcanary@')}/origin.git`;
    const answer = await fetchOnce({ url });
    expect(answer).toMatchObject({
      ok: false,
      reason: 'RepositoryRefused',
      message: expect.stringContaining('denies access'),
    });
    expect(JSON.stringify(answer)).not.toMatch(/wrongcanary|deploy/);
    await server.close();
    repo.remove();
  });

  it('that are missing are not asked for', async () => {
    const repo = await createTempGitRepo({ bare: true });
    const server = await startGitHttpServer({ root: repo.root, authorization });
    expect(await fetchOnce({ url: `${server.url}/origin.git` })).toMatchObject({
      ok: false,
      reason: 'RepositoryRefused',
    });
    await server.close();
    repo.remove();
  });
});

describe('A remote that fails', () => {
  it('because nothing listens is unreachable', async () => {
    expect(await fetchOnce({ url: 'http://127.0.0.1:9/x' })).toMatchObject({
      ok: false,
      reason: 'RepositoryUnreachable',
    });
  });

  it('because it has no such repository is missing', async () => {
    const repo = await createTempGitRepo({ bare: true });
    const server = await startGitHttpServer({ root: repo.root });
    expect(await fetchOnce({ url: `${server.url}/none.git` })).toMatchObject({
      ok: false,
      reason: 'RepositoryMissing',
    });
    await server.close();
    repo.remove();
  });

  it('because git is not installed says what to install', async () => {
    const answer = await fetchOnce({ url: 'http://127.0.0.1:9/x', environment: { PATH: dir } });
    expect(answer).toMatchObject({ ok: false, message: expect.stringContaining('install git') });
  });

  it('over ssh uses the command of the operator, and reports its rejection in a sentence', async () => {
    const ssh = join(dir, 'ssh');
    writeFileSync(ssh, '#!/bin/sh\necho "git@host: Permission denied (publickey)." >&2\nexit 255\n');
    chmodSync(ssh, 0o755);
    const environment = { PATH: process.env.PATH, GIT_SSH_COMMAND: ssh };
    const answer = await fetchOnce({ url: 'git@host.invalid:x.git', environment });
    expect(answer).toMatchObject({
      ok: false,
      reason: 'RepositoryRefused',
      message: expect.stringContaining('git@host.invalid:x.git'),
    });
  });
});
