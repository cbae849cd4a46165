import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CliSurroundings, runCli } from '../helpers/run-cli.ts';
import { createSeededServer, createSeededServices, type SeededServices } from '../helpers/seeded-services.ts';

let services: SeededServices;
let app: ReturnType<typeof createSeededServer>;
let url: string;
let token: string;
let dir: string;
let file: string;

beforeAll(async () => {
  services = createSeededServices();
  app = createSeededServer(services);
  url = await app.listen({ host: '127.0.0.1', port: 0 });
  token = services.grant('owner');
});
afterAll(() => app.close());

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dockbell-profiles-'));
  file = join(dir, 'config', 'dockbell', 'profiles.json');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function run(line: string, { env, ...more }: CliSurroundings = {}) {
  const surroundings = { cwd: dir, clock: services.clock, ...more };
  const result = await runCli(line.split(' '), {
    ...surroundings,
    env: { XDG_CONFIG_HOME: join(dir, 'config'), ...env },
  });
  expect(result.stdout + result.stderr).not.toContain(token);
  return result;
}

const ALL = 'other\npayments';
const addProd = (options = '') => run(`profile add prod --url ${url}${options}`, { stdin: `${token}\n` });

/** Names of the factories of the daemon that a command finds, or its first line of errors. */
async function connect(line = '', more: CliSurroundings = {}): Promise<string> {
  const { stdout, stderr } = await run(`factory list -q${line === '' ? '' : ` ${line}`}`, more);
  return stdout === '' ? stderr.split('\n')[0]! : stdout.trimEnd();
}

describe('profile add', () => {
  it('stores the token of standard input in a file for the user only', async () => {
    expect(await addProd()).toMatchObject({ code: 0, stdout: `Added the profile prod: ${url}.\n` });
    const tokenFile = join(dir, 'config', 'dockbell', 'tokens', 'prod');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      current: null,
      profiles: { prod: { url, data_dir: null, token_file: tokenFile, factory: null } },
    });
    expect(await readFile(tokenFile, 'utf8')).toBe(`${token}\n`);
    for (const path of [file, tokenFile]) expect((await stat(path)).mode & 0o777).toBe(0o600);
    for (const path of [join(file, '..'), join(tokenFile, '..')]) expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  it('does not replace a profile without --force', async () => {
    await addProd();
    expect(await addProd()).toMatchObject({
      code: 1,
      stderr: 'The profile prod exists.\nUse --force to replace it.\n',
    });
    expect(await addProd(' --force --factory payments')).toMatchObject({ code: 0 });
    expect((await run('profile list --json --fields factory')).stdout).toContain('"payments"');
  });

  it.each([
    ['profile add prod', 'Specify the daemon with --url or with --data-dir.'],
    ['profile add prod --url http://a.example --data-dir x', 'Specify the daemon with --url or with --data-dir.'],
    ['profile add prod --url ftp://a.example', "'ftp://a.example' is not the address of a daemon."],
    ['profile add ../prod --url http://a.example', "'../prod' cannot be the name of a profile."],
    ['profile add __proto__ --url http://a.example', "'__proto__' cannot be the name of a profile."],
  ])('%s is wrong usage', async (line, message) => {
    const { code, stderr } = await run(line, { stdin: 'dbk_x' });
    expect([code, stderr.split('\n')[0]]).toEqual([2, message]);
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });
});

describe('a profile names the daemon', () => {
  beforeEach(async () => {
    await addProd();
  });

  it('of --profile', async () => {
    expect(await connect('--profile prod')).toBe(ALL);
    expect(await connect('--profile pro')).toBe("There is no profile 'pro'.");
    expect((await run('factory list --profile pro')).stderr).toContain('Did you mean prod? There are: prod.');
  });

  it('of DOCKBELL_PROFILE, unless another variable or an option names one', async () => {
    const env = { DOCKBELL_PROFILE: 'prod' };
    expect(await connect('', { env })).toBe(ALL);
    expect(await connect('--data-dir other', { env })).toContain('No daemon is running with the data directory');
    expect(await connect('--url http://127.0.0.1:1', { env })).toContain('http://127.0.0.1:1 cannot be reached');
    expect(await connect('', { env: { ...env, DOCKBELL_DATA_DIR: 'other' } })).toContain('No daemon is running');
    expect(await connect('', { env: { ...env, DOCKBELL_URL: 'http://127.0.0.1:1' } })).toContain(
      'http://127.0.0.1:1 cannot be reached',
    );
    const others = { DOCKBELL_PROFILE: 'other', DOCKBELL_URL: 'http://127.0.0.1:1', DOCKBELL_DATA_DIR: 'other' };
    expect(await connect('--profile prod', { env: others })).toBe(ALL);
  });

  it('of profile use, but only in a folder without a data directory', async () => {
    expect(await connect()).toContain('No daemon is running');
    expect(await run('profile use prod')).toMatchObject({ stdout: `Using the profile prod: ${url}.\n` });
    expect(await connect()).toBe(ALL);
    await mkdir(join(dir, '.dockbell'));
    expect(await connect()).toContain('No daemon is running');
    await rm(join(dir, '.dockbell'), { recursive: true });
    await run('profile use --none');
    expect(await connect()).toContain('No daemon is running');
  });

  it('and not together with another address', async () => {
    for (const option of ['--url http://127.0.0.1:1', '--data-dir other']) {
      expect(await connect(`--profile prod ${option}`)).toBe('--profile cannot be used with --url or --data-dir.');
    }
  });

  it('with its own token, never with one of the environment', async () => {
    const env = { DOCKBELL_TOKEN: 'dbk_other', DOCKBELL_TOKEN_FILE: '/nonexistent' };
    expect(await connect('--profile prod', { env })).toBe(ALL);
    expect(await connect('--profile prod --token dbk_wrong')).toContain('The API token is not valid');
  });

  it('and its factory, unless the command names one', async () => {
    await addProd(' --force --factory shop');
    expect((await run('run list --profile prod')).stderr).toContain("There is no factory 'shop'.");
    expect(await run('run list --profile prod --factory payments')).toMatchObject({ code: 0 });
    expect(await run('run list --profile prod', { env: { DOCKBELL_FACTORY: 'payments' } })).toMatchObject({ code: 0 });
  });

  it('as status shows', async () => {
    const { stdout } = await run('status --profile prod');
    expect(stdout.split('\n')[0]).toBe(`Daemon: ${url} (profile prod)`);
  });

  it('of a data directory, too', async () => {
    const data = join(dir, 'data');
    await mkdir(data);
    await writeFile(join(data, 'daemon.json'), JSON.stringify({ admin_url: url }));
    await writeFile(join(data, 'admin-token'), token);
    await run('profile add local --data-dir data');
    expect(await connect('--profile local')).toBe(ALL);
  });

  it('of a file with the token, which is read each time', async () => {
    const path = join(dir, 'token');
    await writeFile(path, 'dbk_old', { mode: 0o600 });
    await run(`profile add ci --url ${url} --token-file token`);
    await writeFile(path, token);
    expect(await connect('--profile ci')).toBe(ALL);
    await rm(path);
    expect(await connect('--profile ci')).toBe(`The token file ${path} of the profile ci does not exist.`);
  });
});

describe('profile list and remove', () => {
  it('shows which profile is in use, and forgets one with its token', async () => {
    await addProd(' --use');
    await run('profile add local --data-dir data');
    expect((await run('profile list --fields name,current')).stdout).toBe(
      'NAME   CURRENT\nprod   true\nlocal  false\n',
    );
    expect(await run('profile remove prod --dry-run')).toMatchObject({ code: 0 });
    expect((await run('profile list -q')).stdout).toBe('prod\nlocal\n');
    expect(await run('profile remove prod')).toMatchObject({ stdout: 'Removed the profile prod.\n' });
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ current: null, profiles: { local: {} } });
    await expect(stat(join(dir, 'config', 'dockbell', 'tokens', 'prod'))).rejects.toThrow('ENOENT');
    expect(await run('profile remove prod')).toMatchObject({ code: 1 });
  });
});

describe('a file that cannot be trusted is not used', () => {
  beforeEach(async () => {
    await addProd(' --use');
  });

  it.each([0o640, 0o604, 0o620, 0o666])('profiles with mode %o', async (mode) => {
    await chmod(file, mode);
    const { code, stderr } = await run('profile list');
    expect(code).toBe(2);
    expect(stderr).toBe(
      `Other users can access ${file} (mode ${mode.toString(8)}), so it is not used.\nCheck its content, then run: chmod 600 ${file}\n`,
    );
    expect(await connect()).toContain('Other users can access');
    expect(await connect(`--url ${url} --token dbk_wrong`)).toContain('The API token is not valid');
  });

  it('a token that other users can read', async () => {
    const path = join(dir, 'config', 'dockbell', 'tokens', 'prod');
    await chmod(path, 0o644);
    expect(await connect()).toBe(`Other users can access ${path} (mode 644), so it is not used.`);
  });

  const profile = (more: object) => ({
    current: null,
    profiles: { x: { url: 'http://a.example', data_dir: null, token_file: '/t', factory: null, ...more } },
  });
  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['null', 'null'],
    ['a list of profiles', JSON.stringify({ current: null, profiles: [] })],
    ['a current profile that does not exist', JSON.stringify({ current: 'x', profiles: {} })],
    ['a name with control characters', JSON.stringify({ current: null, profiles: { '\u001b[2J': {} } })],
    ['a profile without an address', JSON.stringify(profile({ url: null }))],
    ['two addresses', JSON.stringify(profile({ data_dir: '/d' }))],
    ['no token', JSON.stringify(profile({ token_file: null }))],
    ['a relative token file', JSON.stringify(profile({ token_file: 't' }))],
    ['another protocol', JSON.stringify(profile({ url: 'file:///etc/passwd' }))],
    ['control characters', JSON.stringify(profile({ url: 'http://a.example/\u001b[2J' }))],
  ])('profiles with %s', async (_what, text) => {
    await writeFile(file, text);
    const { code, stderr } = await run('profile list');
    expect(code).toBe(2);
    expect(stderr.split('\n')[0]).toBe(`${file} does not contain profiles.`);
  });

  it('a file that is too large, and a folder', async () => {
    await writeFile(file, 'x'.repeat(65_537));
    expect((await run('profile list')).stderr).toContain('is larger than 65536 bytes');
    await rm(file);
    await mkdir(file);
    expect((await run('profile list')).stderr).toContain('is not a regular file');
    await rm(file, { recursive: true });
    await symlink('/proc/self/environ', file);
    expect((await run('profile list')).code).toBe(2);
  });
});
