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

  it('gets the token of its data directory, under any loopback name', async () => {
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
      await expect(find()).rejects.toThrow('does not contain the address of a daemon');
    },
  );

  it('that is not running is reported with a hint, and exit code 3', async () => {
    const { code, stdout, stderr } = await runCli(['status', '--data-dir', dataDir]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/^No daemon is running with the data directory .+\.\nStart one with 'dockbell serve'/);
  });

  it('that was killed is reported in the same way', async () => {
    await leaveDaemonFiles('http://127.0.0.1:1');
    const { code, stderr } = await runCli(['--data-dir', dataDir, 'webhook', 'list']);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^The daemon at http:\/\/127\.0\.0\.1:1 cannot be reached \(.+\)\.\nStart it with 'dockbell serve'/,
    );
  });
});

describe('the data directory', () => {
  let cwd: string;

  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'dockbell-cwd-'));
    await leaveDaemonFiles();
  });
  afterEach(() => rm(cwd, { recursive: true, force: true }));

  const findFrom = (options: ConnectionOptions, env: Record<string, string> = {}) =>
    findConnection(options, { env, cwd } as unknown as CliContext);
  const configure = (text: string) => writeFile(join(cwd, 'dockbell.yaml'), text);

  it('is named by DOCKBELL_DATA_DIR, which takes precedence over dockbell.yaml', async () => {
    await configure('dataDir: ./elsewhere\n');
    expect((await findFrom({}, { DOCKBELL_DATA_DIR: dataDir })).token).toBe('dbk_local');
  });

  it('is named by dataDir of the dockbell.yaml in the working directory', async () => {
    await configure(`dataDir: $\{DATA}\nfactories: [{ name: 3 }]\nbaseUrl: "$\{UNSET}"\n`);
    expect((await findFrom({}, { DATA: dataDir })).token).toBe('dbk_local');
  });

  it('is ./.dockbell if dockbell.yaml names none', async () => {
    await configure('ingress: { port: 0 }\n');
    await expect(findFrom({})).rejects.toThrow(`the data directory ${join(cwd, '.dockbell')}.`);
  });

  it('is named by --data-dir, which takes precedence over all others', async () => {
    await configure('dataDir: ./elsewhere\n');
    expect((await findFrom({ dataDir }, { DOCKBELL_DATA_DIR: '/nonexistent' })).token).toBe('dbk_local');
  });

  it.each([
    ['dataDir: [1]\n', 'dataDir must be a path'],
    [`dataDir: $\{UNSET}\n`, 'dataDir: '],
    ['dataDir: "\n', 'dockbell.yaml:'],
  ])('is not guessed if dockbell.yaml says %j', async (text, message) => {
    await configure(text);
    await expect(findFrom({})).rejects.toThrow(message);
  });
});

describe('a token file', () => {
  const file = () => join(dataDir, 'ci-token');
  const url = 'https://dockbell.example';

  it('is read instead of a token on the command line', async () => {
    await writeFile(file(), 'dbk_file\n');
    expect((await find({ url, tokenFile: file() })).token).toBe('dbk_file');
    expect((await find({ url }, { DOCKBELL_TOKEN_FILE: file() })).token).toBe('dbk_file');
  });

  it('named by the option takes precedence over DOCKBELL_TOKEN, which takes precedence over DOCKBELL_TOKEN_FILE', async () => {
    await writeFile(file(), 'dbk_file\n');
    const env = { DOCKBELL_TOKEN: 'dbk_env', DOCKBELL_TOKEN_FILE: '/nonexistent' };
    expect((await find({ url, tokenFile: file() }, env)).token).toBe('dbk_file');
    expect((await find({ url }, env)).token).toBe('dbk_env');
  });

  it('that does not exist is an error, even if another token exists', async () => {
    await leaveDaemonFiles();
    await expect(find({ tokenFile: file() })).rejects.toThrow(`The token file ${file()} does not exist.`);
  });
});
