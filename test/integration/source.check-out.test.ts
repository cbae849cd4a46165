import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Checkout, checkOut } from '../../src/reconcile/source/check-out.ts';
import { runGit } from '../../src/reconcile/source/git-process.ts';
import { parseRepositoryUrl } from '../../src/reconcile/source/repository-url.ts';
import { startGitHttpServer } from '../helpers/git-http-server.ts';
import { createTempGitRepo, runTestGit, type TempGitRepo } from '../helpers/temp-git-repo.ts';

let repo: TempGitRepo;
let folder: string;
beforeEach(async () => {
  repo = await createTempGitRepo();
  folder = mkdtempSync(join(tmpdir(), 'dockbell-checkout-'));
});
afterEach(() => {
  repo.remove();
  rmSync(folder, { recursive: true, force: true });
});

function make(ref: string, more: Partial<Checkout> & { url?: string } = {}) {
  const { url = repo.path, ...others } = more;
  const parsed = parseRepositoryUrl(url);
  if (!parsed.ok) throw new Error(parsed.message);
  const dir = join(folder, 'workspace');
  const signal = new AbortController().signal;
  return checkOut({
    location: parsed.location,
    ref,
    dir,
    owner: null,
    runGit,
    environment: process.env,
    signal,
    ...others,
  });
}

const read = (name: string) => readFileSync(join(folder, 'workspace', name), 'utf8');

describe('a checkout', () => {
  it.each<[what: string, ref: (commit: string) => string]>([
    ['a commit that is not the tip', (commit) => commit],
    ['a tag', () => 'v1'],
    ['a full ref', () => 'refs/pull/7/head'],
  ])('of %s has its files and no history', async (_what, ref) => {
    await repo.commit({ a: '0' });
    const commit = await repo.commit({ a: '1', 'dir/b': 'b' });
    await repo.git(['tag', 'v1', commit]);
    await repo.git(['update-ref', 'refs/pull/7/head', commit]);
    await repo.commit({ a: '2' });
    expect(await make(ref(commit))).toEqual({ ok: true });
    expect([read('a'), read('dir/b')]).toEqual(['1', 'b']);
    const dir = join(folder, 'workspace');
    expect(await runTestGit(dir, ['rev-list', '--count', 'HEAD'])).toBe('1');
    expect(await runTestGit(dir, ['status', '--porcelain'])).toBe('');
    expect(readdirSync(join(dir, '.git'))).not.toContain('dockbell-gitconfig');
  });

  it('of a branch is that of its tip, also over HTTP, and keeps no credentials', async () => {
    const authorization = `Basic ${Buffer.from('bot:s3cret-token').toString('base64')}`;
    const server = await startGitHttpServer({ root: repo.root, authorization });
    try {
      await repo.commit({ a: 'tip' });
      const url = new URL('/work/.git', server.url);
      url.username = 'bot';
      url.password = 's3cret-token';
      expect(await make('main', { url: url.href })).toEqual({ ok: true });
      expect(read('a')).toBe('tip');
      expect(read('.git/config')).not.toContain('s3cret');
    } finally {
      await server.close();
    }
  });

  it('executes nothing of the repository, and creates links without following them', async () => {
    symlinkSync('/etc', join(repo.path, 'outside'));
    await repo.commit({
      '.gitattributes': '* filter=evil\n',
      '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch /tmp/pwned"\n',
      a: 'a',
    });
    expect(await make('main')).toEqual({ ok: true });
    expect(lstatSync(join(folder, 'workspace', 'outside')).isSymbolicLink()).toBe(true);
    expect(readdirSync(join(folder, 'workspace', '.git')).includes('hooks')).toBe(false);
  });

  it.each<[what: string, ref: string, more: Parameters<typeof make>[1], problem: RegExp]>([
    ['an unknown branch', 'nowhere', {}, /has no nowhere that can be fetched$/],
    ['an unknown commit', 'e'.repeat(40), {}, /has no e{40} that can be fetched$/],
    ['no repository', 'main', { url: '/nonexistent/repo' }, /no git repository exists at \/nonexistent\/repo$/],
    [
      'too many files',
      'main',
      { limits: { timeoutMs: 60_000, maxBytes: 1e6, maxFiles: 1 } },
      /it has more than 1 files$/,
    ],
    [
      'large files',
      'main',
      { limits: { timeoutMs: 60_000, maxBytes: 50_000, maxFiles: 9 } },
      /are larger than 0\.1 MB together$/,
    ],
    ['too little time', 'main', { limits: { timeoutMs: 1, maxBytes: 1e6, maxFiles: 9 } }, /git took longer than/],
  ])('with %s leaves nothing, and says what is wrong', async (_what, ref, more, problem) => {
    await repo.commit({ a: 'x'.repeat(40_000), b: 'x'.repeat(30_000) });
    const outcome = await make(ref, more);
    expect(outcome).toEqual({ ok: false, problem: expect.stringMatching(problem) });
    expect(outcome).toMatchObject({ problem: expect.stringMatching(/^the workspace cannot be checked out: /) });
    expect(existsSync(join(folder, 'workspace'))).toBe(false);
  });
});
