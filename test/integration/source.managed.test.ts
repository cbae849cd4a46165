import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileChange, HostedSource } from '../../src/domain/ports/sources.ts';
import { createManagedSource } from '../../src/reconcile/source/managed-source.ts';
import { createCountedGit } from '../helpers/counted-git.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { runTestGit } from '../helpers/temp-git-repo.ts';

const AUTHOR = { name: 'Ada', email: 'ada@example.com' };
const AT = 1_767_323_045_000;
const A = { path: 'webhooks/a.yaml', text: 'secretName: A\n' };
const B = { path: 'webhooks/b.yaml', text: 'secretName: B # ünï\n' };

function open(gitDir = join(createTempDir('managed'), 'deep', 'f.git'), environment = process.env) {
  const source = createManagedSource(gitDir, environment);
  const edit = (from: string | null, files: FileChange[], more = {}) =>
    source.commit({ from, files, author: AUTHOR, message: 'Do it', at: AT, ...more });
  const git = (...args: string[]) => runTestGit(gitDir, args);
  return { source, edit, git, gitDir };
}

/** A `PATH` whose git fails without a message if it gets this command. */
function composePathWithBroken(command: string): string {
  const dir = createTempDir('broken-git');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh\ntest "$1" = ${command} && exit 2\nexec '${real}' "$@"\n`;
  writeFileSync(join(dir, 'git'), script, { mode: 0o755 });
  return `${dir}:${process.env.PATH}`;
}

async function commit(edited: ReturnType<HostedSource['commit']>): Promise<string> {
  const outcome = await edited;
  if (!outcome.ok) throw new Error('moved');
  return outcome.revision;
}

const readFiles = async (source: HostedSource, revision: string) => {
  const read = await source.readTree(revision);
  if (!read.ok) return read.reason;
  return read.tree.entries.map(({ path, bytes }) => ({ path, text: Buffer.from(bytes!).toString('utf8') }));
};

describe('a managed repository', () => {
  it('has no head before the first commit', async () => {
    const { source } = open();
    expect(await source.head()).toBeNull();
    expect(await source.fetch()).toMatchObject({ ok: false, reason: 'BranchMissing' });
    expect(await source.history!({ limit: 5, cursor: null })).toEqual({
      ok: true,
      page: { data: [], nextCursor: null },
    });
  });

  it('holds every edit as a commit of its author, and leaves other files alone', async () => {
    const { source, edit, git } = open();
    const first = await commit(edit(null, [A, B]));
    const second = await commit(edit(first, [{ ...A, text: null }], { message: 'Delete a' }));
    expect(await source.head()).toBe(second);
    expect(await readFiles(source, second)).toEqual([B]);
    expect(await readFiles(source, first)).toEqual([A, B]);
    expect(await git('log', '--format=%an|%ae|%at|%cn|%s|%P', 'main')).toBe(
      [
        `Ada|ada@example.com|${AT / 1000}|Dockbell|Delete a|${first}`,
        `Ada|ada@example.com|${AT / 1000}|Dockbell|Do it|`,
      ].join('\n'),
    );
    expect(await git('fsck', '--strict')).toBe('');
  });

  it('starts git once for an edit, and not for the head that it knows', async () => {
    const counted = createCountedGit(createTempDir('counted'));
    const { source, edit } = open(undefined, counted.environment);
    const first = await commit(edit(null, [A]));
    counted.takeCommands();
    expect(await source.head()).toBe(first);
    const second = await commit(edit(first, [B]));
    expect(await source.head()).toBe(second);
    const known = { has: () => true };
    expect(await source.readTree(second, known)).toMatchObject({ tree: { entries: [{ content: 'known' }, {}] } });
    expect(counted.takeCommands()).toEqual(['fast-import', 'ls-tree']);
  });

  it('has another head after somebody moved or packed its branch', async () => {
    const { source, edit, git } = open();
    const first = await commit(edit(null, [A]));
    const second = await commit(edit(first, [B]));
    await git('pack-refs', '--all');
    expect(await source.head()).toBe(second);
    await git('update-ref', 'refs/heads/main', first);
    expect(await source.head()).toBe(first);
    await git('update-ref', '-d', 'refs/heads/main');
    expect(await source.head()).toBeNull();
  });

  it('syncs everything that an edit writes', async () => {
    const [dir, real] = [createTempDir('settings-git'), execFileSync('sh', ['-c', 'command -v git']).toString().trim()];
    const seen = join(dir, 'seen');
    const script = `#!/bin/sh\ntest "$1" = fast-import && '${real}' config core.fsync > '${seen}'\nexec '${real}' "$@"\n`;
    writeFileSync(join(dir, 'git'), script, { mode: 0o755 });
    await commit(open(undefined, { PATH: `${dir}:${process.env.PATH}` }).edit(null, [A]));
    expect(readFileSync(seen, 'utf8')).toBe('all\n');
  });

  it('is found again by the next process', async () => {
    const { edit, gitDir } = open();
    const first = await commit(edit(null, [A]));
    expect(await open(gitDir).source.head()).toBe(first);
  });

  it.each([
    ['HEAD', ''],
    ['HEAD', '\0'.repeat(21)],
    ['config', ''],
    ['config', '\0'.repeat(66)],
  ])('whose %s a loss of power damaged is whole again with the next process', async (file, left) => {
    const { edit, gitDir } = open();
    const first = await commit(edit(null, [A]));
    writeFileSync(join(gitDir, file), left);
    const next = open(gitDir);
    expect(await next.source.head()).toBe(first);
    const second = await commit(next.edit(first, [B]));
    expect(await readFiles(next.source, second)).toEqual([A, B]);
    expect(await next.git('log', '--format=%H', 'HEAD')).toBe(`${second}\n${first}`);
  });

  it('whose creation was cut off is created by the next process', async () => {
    const { edit, gitDir } = open();
    await commit(edit(null, [A]));
    for (const name of ['HEAD', 'config', 'refs', 'objects']) rmSync(join(gitDir, name), { recursive: true });
    const next = open(gitDir);
    expect(await next.source.head()).toBeNull();
    await commit(next.edit(null, [A]));
  });

  it('says what is damaged, and begins no new history on a branch without content', async () => {
    const { edit, gitDir } = open();
    await commit(edit(null, [A]));
    writeFileSync(join(gitDir, 'refs/heads/main'), '');
    const next = open(gitDir);
    await expect(next.edit(null, [B])).rejects.toMatchObject({ code: 'source_unavailable' });
    await expect(next.source.head()).rejects.toMatchObject({
      message: expect.stringMatching(/could not read its branch: git reports .*broken ref refs\/heads\/main/),
    });
    rmSync(join(gitDir, 'refs'), { recursive: true });
    writeFileSync(join(gitDir, 'refs'), '');
    await expect(open(gitDir).source.head()).rejects.toMatchObject({
      message: expect.stringMatching(/could not be opened: The folder .* a file is in its place/),
    });
  });

  it('names git where git cannot be started', async () => {
    const gitDir = join(createTempDir('managed'), 'f.git');
    const source = createManagedSource(gitDir, { PATH: '/nonexistent' });
    await expect(source.head()).rejects.toMatchObject({
      message: expect.stringContaining('git is not installed or not in PATH'),
    });
  });

  const breakCommand = async (command: string) => {
    const { edit, gitDir } = open();
    const head = await commit(edit(null, [A]));
    return { head, ...open(gitDir, { PATH: composePathWithBroken(command) }) };
  };

  it.each(['cat-file', 'log'])('reports that git %s failed without a message', async (command) => {
    const { source, head } = await breakCommand(command);
    await expect(source.history!({ limit: 1, cursor: head })).rejects.toMatchObject({
      code: 'source_unavailable',
      message: expect.stringMatching('could not read its history: git failed with exit code 2 and without a message'),
    });
  });

  it('does not report an edit as stored if git failed without a message', async () => {
    const { edit, head } = await breakCommand('fast-import');
    await expect(edit(head, [B])).rejects.toMatchObject({
      code: 'source_unavailable',
      message: expect.stringMatching('could not store the change: git failed with exit code 2 and without a message'),
    });
  });

  it('does not know an ancestry if git failed without a message', async () => {
    const { source, head } = await breakCommand('merge-base');
    expect(await source.contains(head, head)).toBe('unknown');
  });

  it('takes no edit of a revision that is not the newest, and writes nothing of it', async () => {
    const { source, edit } = open();
    const first = await commit(edit(null, [A]));
    const second = await commit(edit(first, [B]));
    for (const from of [first, null]) {
      expect(await edit(from, [{ path: 'webhooks/c.yaml', text: 'x' }])).toEqual({ ok: false, reason: 'moved' });
    }
    expect(await source.head()).toBe(second);
  });

  it('lets one of two edits that come at the same moment win', async () => {
    const { source, edit } = open();
    const first = await commit(edit(null, [A]));
    const outcomes = await Promise.all(['x', 'y', 'z'].map((text) => edit(first, [{ ...B, text }])));
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    const won = outcomes.find(({ ok }) => ok) as { revision: string };
    expect(await source.head()).toBe(won.revision);
  });

  it.each([
    ['commands of the import', 'x\nD webhooks/a.yaml\ndata 3\nabc\n'],
    ['no line end', 'x'],
    ['nothing', ''],
    ['a character of four bytes', '🔔\u0000'],
  ])('keeps texts with %s as they are', async (_name, text) => {
    const { source, edit } = open();
    const revision = await commit(edit(null, [A, { ...B, text }]));
    expect(await readFiles(source, revision)).toEqual([A, { ...B, text }]);
  });

  it('takes any name for an author or a message', async () => {
    const { source, edit, git } = open();
    const author = { name: 'Eve <root@x>\ncommitter Eve', email: '>\n' };
    await commit(edit(null, [A], { author, message: 'a\nfrom refs/heads/x\ndata 1\n' }));
    expect(await git('log', '--format=%an|%ae', 'main')).toBe('Eve root@x committer Eve|unknown');
    expect(await source.history!({ limit: 1, cursor: null })).toMatchObject({ ok: true });
    const empty = await source.head();
    await commit(edit(empty, [B], { author: { name: '\u0007', email: 'x' } }));
    expect(await git('log', '-1', '--format=%an', 'main')).toBe('unknown');
  });

  it('gives its history in pages, newest first', async () => {
    const { source, edit, git } = open();
    let head: string | null = null;
    const made: string[] = [];
    for (const message of ['one', 'two', 'three']) {
      head = await commit(edit(head, [{ ...A, text: message }], { message }));
      made.unshift(head);
    }
    const read = async (cursor: string | null) => {
      const answer = await source.history!({ limit: 2, cursor });
      if (!answer.ok) throw new Error(answer.message);
      return answer.page;
    };
    const first = await read(null);
    expect(first.data).toEqual([
      { revision: made[0], author: AUTHOR, at: AT, message: 'three' },
      { revision: made[1], author: AUTHOR, at: AT, message: 'two' },
    ]);
    const rest = await read(first.nextCursor);
    expect([rest.data.map(({ message }) => message), rest.nextCursor]).toEqual([['one'], null]);
    for (const cursor of ['--all', 'main', 'f'.repeat(40), await git('rev-parse', 'main^{tree}')]) {
      await expect(read(cursor)).rejects.toMatchObject({ code: 'bad_request' });
    }
  });

  it('reads no revision that it does not have, with any name', async () => {
    const { source, edit } = open();
    await commit(edit(null, [A]));
    expect(await readFiles(source, 'HEAD')).toBe('RepositoryRefused');
    expect(await readFiles(source, randomBytes(20).toString('hex'))).toBe('RepositoryUnreachable');
  });

  it('executes nothing in its folder', async () => {
    const { source, edit, gitDir } = open();
    await commit(edit(null, [A]));
    const canary = join(gitDir, 'canary');
    appendFileSync(join(gitDir, 'config'), `[core]\n\tfsmonitor = touch ${canary}\n`);
    for (const hook of ['reference-transaction', 'post-commit', 'update']) {
      execFileSync(
        'sh',
        ['-c', `mkdir -p hooks; printf '#!/bin/sh\\ntouch ${canary}\\n' > hooks/${hook}; chmod +x hooks/${hook}`],
        { cwd: gitDir },
      );
    }
    await commit(edit(await source.head(), [B]));
    expect(() => execFileSync('test', ['-e', canary])).toThrow();
  });
});
