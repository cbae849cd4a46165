import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../test/helpers/run-cli.ts';
import { createTempDir } from '../../test/helpers/temp-dir.ts';
import { type ConnectionOptions, findConnection } from './connection.ts';
import type { CliContext } from './context.ts';

/** A user without any right. */
const NOBODY = 65_534;

let server: { configFile: string; dataDir: string };
let cwd: string;

/** What `findConnection` imports when it is needed. Another user cannot import it from a clone that only its owner may enter. */
beforeAll(() =>
  Promise.all([
    import('../config/load-config.ts'),
    import('../domain/words/escape-text.ts'),
    import('./dev/dev-file.ts'),
    import('./find-server.ts'),
    import('./profiles/choose-profile.ts'),
    import('./profiles/read-private-file.ts'),
  ]),
);

beforeEach(() => {
  const machine = createTempDir('machine');
  // Other users may enter `/etc` and `/var/lib`.
  chmodSync(machine, 0o755);
  server = { configFile: join(machine, 'dockbell.yaml'), dataDir: join(machine, 'data') };
  cwd = createTempDir('reader');
});

function runService(dataDir: string, port: number, token: string): void {
  mkdirSync(dataDir, { mode: 0o700 });
  writeFileSync(join(dataDir, 'daemon.json'), JSON.stringify({ pid: 1, admin_url: `http://127.0.0.1:${port}` }));
  writeFileSync(join(dataDir, 'admin-token'), `${token}\n`);
}

const find = (options: ConnectionOptions = {}, env: Record<string, string> = {}) =>
  findConnection(options, { env: { XDG_CONFIG_HOME: '/nonexistent', ...env }, cwd, server } as unknown as CliContext);

/** Calls the function as a user who may read nothing of this one. */
async function asAnother<T>(act: () => Promise<T>, denied: string): Promise<T> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid!(NOBODY);
  else chmodSync(denied, 0);
  try {
    return await act();
  } finally {
    if (isRoot) process.seteuid!(0);
    else chmodSync(denied, 0o700);
  }
}

describe('the service of the machine', () => {
  it('is found from a folder without a daemon, in the usual place', async () => {
    runService(server.dataDir, 8788, 'dbk_usual');
    expect(await find()).toEqual({ url: 'http://127.0.0.1:8788', token: 'dbk_usual' });
  });

  it('is found where its configuration says', async () => {
    const dataDir = join(createTempDir('machine'), 'elsewhere');
    runService(dataDir, 9999, 'dbk_elsewhere');
    runService(server.dataDir, 8788, 'dbk_old');
    writeFileSync(server.configFile, `dataDir: ${dataDir}\nsource: \${ONLY_THE_DAEMON_HAS_IT}\n`);
    expect((await find()).url).toBe('http://127.0.0.1:9999');
  });

  it('comes after everything that the folder and the user name', async () => {
    runService(server.dataDir, 8788, 'dbk_usual');
    const other = join(cwd, 'other');
    runService(other, 7777, 'dbk_other');
    expect((await find({ dataDir: other })).url).toBe('http://127.0.0.1:7777');
    expect((await find({}, { DOCKBELL_DATA_DIR: other })).url).toBe('http://127.0.0.1:7777');
    expect((await find({ url: 'http://127.0.0.1:1', token: 'dbk_x' })).url).toBe('http://127.0.0.1:1');
    await expect(find({ url: 'http://127.0.0.1:8788' })).rejects.toThrow('There is no API token');
    writeFileSync(join(cwd, 'dockbell.yaml'), 'factories: []\n');
    await expect(find()).rejects.toThrow(`No daemon is running with the data directory ${join(cwd, '.dockbell')}`);
    runService(join(cwd, '.dockbell'), 6666, 'dbk_here');
    expect((await find()).url).toBe('http://127.0.0.1:6666');
  });

  it('that is stopped is named', async () => {
    mkdirSync(server.dataDir);
    await expect(find()).rejects.toThrow(`No daemon is running with the data directory ${server.dataDir}.`);
  });

  it('does not exist on a machine without its folders, or without such places', async () => {
    const message = `No daemon is running with the data directory ${join(cwd, '.dockbell')}.`;
    await expect(find()).rejects.toThrow(message);
    expect((await runCli(['status'], { cwd })).stderr).toContain(message);
  });

  it('of another user is not used, and the message names that user', async () => {
    runService(server.dataDir, 8788, 'dbk_usual');
    writeFileSync(server.configFile, 'dataDir: /nonexistent\n', { mode: 0o600 });
    await find({ dataDir: server.dataDir });
    const failed = await asAnother(() => find().catch((error: unknown) => error), server.dataDir);
    expect(failed).toMatchObject({
      message: `${join(server.dataDir, 'daemon.json')} cannot be read (EACCES).`,
      hint: expect.stringContaining(`sudo -u ${userInfo().username} dockbell`),
    });
  });

  it('is found from a folder that the user may not enter', async () => {
    const machine = createTempDir('machine');
    chmodSync(machine, 0o755);
    server = { ...server, dataDir: join(machine, 'data') };
    runService(server.dataDir, 8788, 'dbk_usual');
    chmodSync(server.dataDir, 0o755);
    writeFileSync(join(cwd, 'dockbell.yaml'), 'factories: []\n');
    await find({ dataDir: server.dataDir });
    expect((await asAnother(() => find(), cwd)).token).toBe('dbk_usual');
  });

  it.each(['daemon.json', 'admin-token'])('cannot make the user read another file through a link: %s', async (name) => {
    runService(server.dataDir, 8788, 'dbk_usual');
    const secret = join(cwd, 'key-of-root');
    writeFileSync(secret, 'a-key-of-another-program');
    const path = join(server.dataDir, name);
    rmSync(path);
    symlinkSync(secret, path);
    await expect(find()).rejects.toThrow(`${path} is a symbolic link, so it is not used.`);
  });
});
