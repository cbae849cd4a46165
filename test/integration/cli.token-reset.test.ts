import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Daemon } from '../../src/app/daemon.ts';
import { importBuiltApp } from '../helpers/built-app.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

let startDaemon: Awaited<ReturnType<typeof importBuiltApp>>['startDaemon'];
const umask = process.umask();
beforeAll(async () => {
  ({ startDaemon } = await importBuiltApp());
});
afterAll(() => void process.umask(umask));

/** As a start or a reset leaves it that is killed before it renames its file. */
function leaveDraft(dataDir: string): void {
  writeFileSync(join(dataDir, 'admin-token.0123456789abcdef.tmp'), 'dbk_never_used\n');
}
const listDrafts = (dataDir: string) => readdirSync(dataDir).filter((name) => name.endsWith('.tmp'));

const start = (dataDir: string): Promise<Daemon> =>
  startDaemon({
    configFile: null,
    dataDir,
    overrides: { ingress: { port: 0 }, admin: { port: 0 } },
    env: {},
    log: { format: 'json', destination: { write: () => true } },
  });

async function ask(daemon: Daemon, path: string, token: string) {
  const answer = await fetch(`${daemon.adminUrl}/api/v1/${path}`, { headers: { authorization: `Bearer ${token}` } });
  return { status: answer.status, body: (await answer.json()) as { data: unknown[] } };
}

it('token reset restores access after the only owner token was lost', async () => {
  const dataDir = createTempDir('reset');
  const file = join(dataDir, 'admin-token');
  const first = await start(dataDir);
  const lost = readFileSync(file, 'utf8').trim();
  expect((await ask(first, 'tokens', lost)).status).toBe(200);

  const refused = await runCli(['token', 'reset', '--data-dir', dataDir]);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining(`in use by another Dockbell (process ${process.pid})`),
  ]);
  expect((await ask(first, 'tokens', lost)).status).toBe(200);
  await first.stop();

  rmSync(file);
  leaveDraft(dataDir);
  const reset = await runCli(['token', 'reset', '--data-dir', dataDir]);
  expect([reset.code, reset.stdout]).toEqual([0, expect.stringContaining(file)]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const token = readFileSync(file, 'utf8').trim();
  expect(`${reset.stdout}${reset.stderr}`).not.toContain(token);
  expect(listDrafts(dataDir)).toEqual([]);
  leaveDraft(dataDir);

  const second = await start(dataDir);
  expect(listDrafts(dataDir)).toEqual([]);
  expect(readFileSync(file, 'utf8').trim()).toBe(token);
  expect((await ask(second, 'tokens', lost)).status).toBe(401);
  expect(await ask(second, 'tokens', token)).toMatchObject({
    status: 200,
    body: { data: [{ name: 'admin-token', role: 'owner' }] },
  });
  expect((await ask(second, 'audit', token)).body.data).toContainEqual(
    expect.objectContaining({ method: 'CLI', route: 'dockbell token reset', client_address: 'local' }),
  );
  await second.stop();
});

it('token reset in a folder without a database changes nothing', async () => {
  const dataDir = createTempDir('no-reset');
  const { code, stderr } = await runCli(['token', 'reset', '--data-dir', dataDir]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`${dataDir} holds no database`)]);
  expect(existsSync(join(dataDir, 'daemon.lock'))).toBe(false);
});
