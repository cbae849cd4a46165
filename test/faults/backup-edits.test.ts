import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

const FACTORIES = ['one', 'two'];
const CONFIG = { factories: FACTORIES.map((name) => ({ name, source: { type: 'managed' } })) };
const BACKUPS = 12;

/** Commits until the backups are made. Each change of an automation is a commit. */
async function edit(daemon: TestDaemon, factory: string, isDone: () => boolean): Promise<void> {
  for (let n = 0; !isDone(); n += 1) {
    const filter = { webhooks: ['ci'], payload: { n: [n] } };
    const triggers = [{ provider: 'webhook', event: 'received', filter }];
    const body = { triggers, prompt: `Look at ${n}.` };
    const { status } = await daemon.api(`/factories/${factory}/automations/busy`, { method: 'PUT', body });
    expect([200, 201]).toContain(status);
  }
}

/** Checks the repositories of a backup with git. Resolves with their commits. */
function checkRepositories(file: string): string[] {
  const content = createTempDir('content');
  execFileSync('tar', ['xf', file], { cwd: content });
  const db = new Database(join(content, 'dockbell.db'), { readonly: true });
  const findApplied = db.prepare<[string], string>('SELECT applied_revision FROM factories WHERE name = ?').pluck();
  const commits = FACTORIES.map((factory) => {
    const repository = join(content, 'managed', `${factory}.git`);
    // A backup has no file of git except branches and objects.
    writeFileSync(join(repository, 'HEAD'), 'ref: refs/heads/main\n');
    const git = (...args: string[]) => execFileSync('git', ['--git-dir', repository, ...args], { encoding: 'utf8' });
    git('fsck', '--full', '--strict', '--no-dangling');
    // A repository may be newer than the database, but not older.
    git('merge-base', '--is-ancestor', findApplied.get(factory)!, 'main');
    return git('rev-parse', 'main').trim();
  });
  db.close();
  return commits;
}

it('backups hold whole repositories, although they are edited meanwhile, and a restored daemon applies them', async () => {
  const daemon = await startTestDaemon({ config: CONFIG });
  for (const factory of FACTORIES) {
    expect((await daemon.cli('webhook', 'create', 'ci', '--factory', factory)).code).toBe(0);
  }
  const files = Array.from({ length: BACKUPS }, (_, n) => join(createTempDir('edited'), `${n}.tar`));
  let isDone = false;
  const editing = Promise.all(FACTORIES.map((factory) => edit(daemon, factory, () => isDone)));
  for (const file of files) expect((await daemon.cli('backup', file)).code).toBe(0);
  isDone = true;
  await editing;
  const commits = files.map(checkRepositories);
  expect(new Set(commits.flat()).size).toBeGreaterThan(BACKUPS);

  const dataDir = join(createTempDir('restored'), 'data');
  expect((await runCli(['restore', files.at(-1)!, '--data-dir', dataDir])).code).toBe(0);
  expect((await runCli(['token', 'reset', '--data-dir', dataDir])).code).toBe(0);
  writeFileSync(join(dataDir, 'master.key'), readFileSync(join(daemon.dataDir, 'master.key')), { mode: 0o600 });
  const copy = await startTestDaemon({ config: CONFIG, dataDir });
  for (const [index, factory] of FACTORIES.entries()) {
    const isApplied = async () =>
      (await copy.api(`/factories/${factory}`)).body.applied_revision === commits.at(-1)![index];
    await eventually(isApplied, 20_000);
    expect((await copy.cli('webhook', 'create', 'later', '--factory', factory)).code).toBe(0);
    execFileSync('git', ['--git-dir', join(dataDir, 'managed', `${factory}.git`), 'fsck', '--full', '--strict']);
  }
  await Promise.all([daemon, copy].map((one) => one.end('SIGTERM')));
});
