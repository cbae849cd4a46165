import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runGit } from '../../src/reconcile/source/git-process.ts';
import { parseRepositoryUrl } from '../../src/reconcile/source/repository-url.ts';
import { RequestHeads } from '../../src/reconcile/source/request-heads.ts';
import { DEFAULT_LIMITS, type SourceLimits } from '../../src/reconcile/source/source-limits.ts';
import { commitOnto, type ProposedFiles } from '../helpers/commit-onto.ts';
import { type GitHttpServer, startGitHttpServer } from '../helpers/git-http-server.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';

const CI = 'secretName: CI\n';

let repo: TempGitRepo;
let git: GitHttpServer;
let mirrorDir: string;
let good: string;

beforeEach(async () => {
  repo = await createTempGitRepo({ bare: true });
  good = await repo.commit({ 'webhooks/ci.yaml': CI });
  git = await startGitHttpServer({ root: repo.root });
  mirrorDir = join(repo.root, 'mirror');
});
afterEach(async () => {
  await git.close();
  repo.remove();
});

function openHeads(limits: Partial<SourceLimits> = {}): RequestHeads {
  const parsed = parseRepositoryUrl(`${git.url}/origin.git`);
  if (!parsed.ok) throw new Error(parsed.message);
  const { location } = parsed;
  const merged = { ...DEFAULT_LIMITS, ...limits };
  return new RequestHeads({ location, branch: 'main', mirrorDir, runGit, environment: process.env, limits: merged });
}

async function propose(number: number, files: ProposedFiles): Promise<{ number: number; commit: string; ref: string }> {
  const commit = await commitOnto(repo, good, files);
  const ref = `refs/pull/${number}/head`;
  await repo.git(['update-ref', ref, commit]);
  return { number, commit, ref };
}

const pathsOf = (tree: { entries: readonly { path: string }[] } | null) => tree?.entries.map(({ path }) => path);
const mirrorRefs = async () => {
  const listed = await runGit({
    args: ['for-each-ref', '--format=%(refname)'],
    gitDir: join(mirrorDir, 'heads.git'),
    environment: process.env,
    timeoutMs: 10_000,
    maxOutputBytes: 100_000,
  });
  return listed.kind === 'exited' ? listed.stdout.toString().trim().split('\n') : [];
};

describe('the head of a request', () => {
  it('is read with production and with the commit where it left production', async () => {
    const head = await propose(7, { 'webhooks/new.yaml': CI });
    await repo.commit({ 'webhooks/newer.yaml': CI });
    const read = await openHeads().read(head, '', new Set([7]));
    if (!read.ok) throw new Error(read.message);
    expect(pathsOf(read.head)).toEqual(['webhooks/ci.yaml', 'webhooks/new.yaml']);
    expect(pathsOf(read.production)).toEqual(['webhooks/ci.yaml', 'webhooks/newer.yaml']);
    expect(pathsOf(read.base)).toEqual(['webhooks/ci.yaml']);
    // The bytes of a file that both have are read once.
    expect(read.production.entries.map(({ content }) => content)).toEqual(['known', 'read']);
  });

  it('without a common commit has no base', { tags: 'full' }, async () => {
    const head = await propose(7, { 'webhooks/new.yaml': CI });
    await repo.forcePush({ 'webhooks/other.yaml': CI });
    expect(await openHeads().read(head, '', new Set([7]))).toMatchObject({ ok: true, base: null });
  });

  it('that moved meanwhile is not read', { tags: 'full' }, async () => {
    const head = await propose(7, { 'webhooks/a.yaml': CI });
    await propose(7, { 'webhooks/b.yaml': CI });
    expect(await openHeads().read(head, '', new Set([7]))).toMatchObject({ ok: false, reason: 'Moved' });
  });

  it('is forgotten when its request is closed', { tags: 'full' }, async () => {
    const [one, two] = [await propose(7, { 'webhooks/a.yaml': CI }), await propose(8, { 'webhooks/b.yaml': CI })];
    await openHeads().read(one, '', new Set([7, 8]));
    await openHeads().read(two, '', new Set([7, 8]));
    expect(await mirrorRefs()).toEqual(['refs/dockbell/heads/7', 'refs/dockbell/heads/8', 'refs/dockbell/tip']);
    await openHeads().read(two, '', new Set([8]));
    expect(await mirrorRefs()).toEqual(['refs/dockbell/heads/8', 'refs/dockbell/tip']);
  });

  it('that is too large leaves nothing behind, and the next one is read', { tags: 'full' }, async () => {
    const large = randomBytes(1_500_000).toString('base64');
    const [big, small] = [await propose(7, { 'large.bin': large }), await propose(8, { 'webhooks/b.yaml': CI })];
    const heads = openHeads({ maxFetchBytes: 1_000_000 });
    expect(await heads.read(big, '', new Set([7, 8]))).toMatchObject({ ok: false, reason: 'FetchTooLarge' });
    const packs = readdirSync(join(mirrorDir, 'heads.git', 'objects', 'pack'));
    expect(packs.filter((name) => name.startsWith('tmp_'))).toEqual([]);
    expect(await heads.read(small, '', new Set([7, 8]))).toMatchObject({ ok: true });
  });

  it('cannot let the mirror grow without limit: it starts again empty', { tags: 'full' }, async () => {
    // Three fetches of this size are allowed together.
    const heads = openHeads({ maxFetchBytes: 200_000 });
    for (let number = 1; number <= 6; number++) {
      const head = await propose(number, { 'large.bin': randomBytes(150_000).toString('base64') });
      expect(await heads.read(head, '', new Set([1, 2, 3, 4, 5, 6]))).toMatchObject({ ok: true });
    }
    const refs = await mirrorRefs();
    expect(refs).toContain('refs/dockbell/heads/6');
    expect(refs).not.toContain('refs/dockbell/heads/1');
  });

  it('with objects that git rejects is a finding about this request only', { tags: 'full' }, async () => {
    const blob = await repo.git(['hash-object', '-w', '--stdin'], 'x');
    const evil = await repo.git(['mktree', '-z'], `100644 blob ${blob}\t.git\0`);
    const tree = await repo.git(['mktree'], `040000 tree ${evil}\twebhooks\n`);
    const commit = await repo.git(['commit-tree', '-m', 'evil', '-p', good, tree]);
    await repo.git(['update-ref', 'refs/pull/9/head', commit]);
    const bad = { number: 9, commit, ref: 'refs/pull/9/head' };
    expect(await openHeads().read(bad, '', new Set([9]))).toMatchObject({ ok: false, reason: 'TreeOdd' });
    const next = await propose(10, { 'webhooks/b.yaml': CI });
    expect(await openHeads().read(next, '', new Set([9, 10]))).toMatchObject({ ok: true });
  });

  it('takes no effect on the machine: no file of it is written, and its submodules are not fetched', async () => {
    const head = await propose(7, {
      'webhooks/link.yaml': { mode: '120000', content: '/etc/passwd' },
      'automations/module': { mode: '160000', content: '1'.repeat(40) },
      '.gitmodules': `[submodule "m"]\n\tpath = automations/module\n\turl = ${git.url}/secret.git\n`,
      '.lfsconfig': `[lfs]\n\turl = ${git.url}/lfs\n`,
    });
    const read = await openHeads().read(head, '', new Set([7]));
    if (!read.ok) throw new Error(read.message);
    expect(read.head.entries.map(({ path, kind, bytes }) => [path, kind, bytes === null])).toEqual([
      ['automations/module', 'submodule', true],
      ['webhooks/ci.yaml', 'file', false],
      ['webhooks/link.yaml', 'symlink', true],
    ]);
    expect(existsSync(join(mirrorDir, 'heads.git', 'webhooks'))).toBe(false);
    expect(git.requests.filter(({ url }) => !url.startsWith('/origin.git/'))).toEqual([]);
  });
});
