import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../test/helpers/run-cli.ts';
import type { ConnectionOptions } from './connection.ts';
import { findConnection } from './connection.ts';
import type { CliContext } from './context.ts';

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'dockbell-data-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const find = (options: ConnectionOptions = {}, env: Record<string, string> = {}) =>
  findConnection({ dataDir, ...options }, { env, cwd: '/' } as unknown as CliContext);

async function leaveDaemonFiles(adminUrl = 'http://127.0.0.1:8788', token = 'dbk_local\n') {
  await writeFile(join(dataDir, 'daemon.json'), JSON.stringify({ pid: 1, admin_url: adminUrl }));
  await writeFile(join(dataDir, 'admin-token'), token);
}

describe('the daemon', () => {
  it('is found by the files in the data directory', async () => {
    await leaveDaemonFiles();
    expect(await find()).toEqual({ url: 'http://127.0.0.1:8788', token: 'dbk_local' });
  });

  it('is named by options first, then by the environment', async () => {
    await leaveDaemonFiles();
    const env = { DOCKBELL_URL: 'https://env.example', DOCKBELL_TOKEN: 'dbk_env' };
    expect(await find({}, env)).toEqual({ url: 'https://env.example', token: 'dbk_env' });
    expect(await find({ url: 'https://opt.example/', token: 'dbk_opt' }, env)).toEqual({
      url: 'https://opt.example',
      token: 'dbk_opt',
    });
  });

  it.each([
    ['https://a.example/', 'https://a.example'],
    ['https://a.example/bell/', 'https://a.example/bell'],
    ['https://a.example/api/v1', 'https://a.example'],
  ])('may be written as %s', async (url, expected) => {
    expect((await find({ url, token: 'dbk_x' })).url).toBe(expected);
  });

  it('gets the token of its own data directory, under any loopback name', async () => {
    await leaveDaemonFiles();
    expect((await find({ url: 'http://localhost:8788' })).token).toBe('dbk_local');
  });

  it.each(['http://127.0.0.1:9999', 'https://other.example:8788', 'https://127.0.0.1:8788'])(
    'at another address (%s) never gets the token of this data directory',
    async (url) => {
      await leaveDaemonFiles();
      await expect(find({ url })).rejects.toThrow(`There is no API token for ${url}.`);
    },
  );

  it.each(['', 'dbk_\nx', 'dbk_é'])('is not asked with the token %j', async (token) => {
    await expect(find({ url: 'http://127.0.0.1:1', token })).rejects.toThrow('API token');
  });

  it.each(['{', '{}', '{"admin_url": 1}', '{"admin_url": "nope"}'])(
    'is not guessed from a daemon.json that holds %s',
    async (text) => {
      await writeFile(join(dataDir, 'daemon.json'), text);
      await expect(find()).rejects.toThrow('does not hold the address of a daemon');
    },
  );

  it('that does not run is told in one sentence with what to do, and 2', async () => {
    const { code, stdout, stderr } = await runCli(['status', '--data-dir', dataDir]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^No daemon is running with the data directory .+\.\nStart one with 'dockbell serve'/);
  });

  it('that has gone without a word is told the same way', async () => {
    await leaveDaemonFiles('http://127.0.0.1:1');
    const { code, stderr } = await runCli(['--data-dir', dataDir, 'webhook', 'list']);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^The daemon at http:\/\/127\.0\.0\.1:1 cannot be reached \(.+\)\.\nStart it with 'dockbell serve'/,
    );
  });
});
