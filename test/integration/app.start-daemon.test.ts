import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Daemon, DaemonOptions } from '../../src/app/daemon.ts';
import type { Json } from '../../src/domain/json.ts';
import { readBuildIdentity } from '../../src/platform/files/build-identity.ts';
import { importBuiltApp } from '../helpers/built-app.ts';
import { eventually } from '../helpers/eventually.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const PORTS = { ingress: { port: 0 }, admin: { port: 0 } };

let startDaemon: Awaited<ReturnType<typeof importBuiltApp>>['startDaemon'];
let dataDir: string;
let umask: number;
beforeAll(async () => {
  umask = process.umask();
  ({ startDaemon } = await importBuiltApp());
});
afterAll(() => void process.umask(umask));
beforeEach(() => {
  dataDir = createTempDir('start');
});

const start = (change: Partial<DaemonOptions> = {}): Promise<Daemon> =>
  startDaemon({
    configFile: null,
    dataDir,
    overrides: PORTS,
    env: { PATH: process.env.PATH },
    log: { format: 'json', destination: { write: () => true } },
    ...change,
  });

const daemonFile = () => join(dataDir, 'daemon.json');
const countServers = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

/** After a failed start, nothing continues to run, and the folder is free: the next start works. */
async function expectCleanFailure(failing: Promise<Daemon>, expected: object): Promise<void> {
  const before = countServers();
  await expect(failing).rejects.toMatchObject(expected);
  await eventually(() => countServers() === before);
  expect(existsSync(daemonFile())).toBe(false);
  const daemon = await start();
  await daemon.stop();
}

async function occupyPort(): Promise<{ port: number; free(): void }> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { port: (server.address() as AddressInfo).port, free: () => void server.close() };
}

describe('a start that fails', () => {
  it('for a wrong configuration touches nothing', async () => {
    const configFile = join(dataDir, 'dockbell.yaml');
    const elsewhere = join(dataDir, 'data');
    writeFileSync(configFile, 'ingres: { port: 0 }\n');
    await expect(start({ configFile, dataDir: elsewhere })).rejects.toMatchObject({ code: 'config_invalid' });
    expect(existsSync(elsewhere)).toBe(false);
  });

  it.each(['ingress', 'admin'] as const)(
    'for a busy port of the %s listener names the key to change',
    { tags: 'full' },
    async (name) => {
      const busy = await occupyPort();
      const failing = start({ overrides: { ...PORTS, [name]: { port: busy.port } } });
      const message = expect.stringMatching(
        new RegExp(`^${name} cannot listen on 127\\.0\\.0\\.1:${busy.port}: .*${name}\\.port`),
      );
      const before = countServers();
      await expect(failing).rejects.toMatchObject({ code: 'config_invalid', message });
      await eventually(() => countServers() === before);
      busy.free();
      const daemon = await start();
      await daemon.stop();
    },
  );

  it('reports a wrong master key, and the right one still works', async () => {
    const masterKey = randomBytes(32).toString('base64');
    const env = (key: string) => ({ env: { PATH: process.env.PATH, DOCKBELL_MASTER_KEY: key } });
    await (await start(env(masterKey))).stop();
    const database = readFileSync(join(dataDir, 'dockbell.db'));
    await expect(start(env(randomBytes(32).toString('base64')))).rejects.toMatchObject({ code: 'master_key_wrong' });
    expect(readFileSync(join(dataDir, 'dockbell.db')).equals(database)).toBe(true);
    await (await start(env(masterKey))).stop();
  });

  it.runIf(process.platform === 'linux')('reports a data directory that cannot be created', async () => {
    await expect(start({ dataDir: '/proc/dockbell/data' })).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/^dataDir cannot be used: The folder \/proc\/dockbell.* choose another folder/),
    });
  });

  it.skipIf(process.getuid?.() !== 0)(
    'for a user who cannot enter the folder of runs says where to put it',
    { tags: 'full' },
    async () => {
      const executor = { type: 'command', command: ['true'], user: '12345:12345' };
      const factories: Json = [{ name: 'f', source: { type: 'live' }, runs: { executor } }];
      const message = expect.stringMatching(/user 12345:12345 .* cannot enter .*runs; set runsDir to a folder outside/);
      await expectCleanFailure(start({ overrides: { ...PORTS, factories } }), { code: 'config_invalid', message });
    },
  );

  it('for a folder that another daemon has names that process, and does it no harm', async () => {
    const first = await start();
    const announced = readFileSync(daemonFile(), 'utf8');
    await expect(start()).rejects.toMatchObject({
      code: 'data_dir_locked',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    expect(readFileSync(daemonFile(), 'utf8')).toBe(announced);
    expect((await fetch(`${first.ingressUrl}/healthz`)).status).toBe(200);
    await first.stop();
    await (await start()).stop();
  });

  it('before the work takes away what a killed daemon had announced', { tags: 'full' }, async () => {
    writeFileSync(daemonFile(), '{"pid": 1, "ingress_url": "http://127.0.0.1:9", "admin_url": "", "version": ""}');
    const failing = start({
      beforeWork: async () => {
        throw new Error('no');
      },
    });
    await expectCleanFailure(failing, { message: 'no' });
  });

  it('has looked at no commit and started no run', { tags: 'full' }, async () => {
    const busy = await occupyPort();
    const lines: string[] = [];
    const factories = [{ name: 'f', source: { type: 'repository', url: join(dataDir, 'nowhere') } }];
    const failing = start({
      overrides: { ...PORTS, factories, admin: { port: busy.port } },
      log: { format: 'json', destination: { write: (line) => lines.push(line) } },
    });
    await expect(failing).rejects.toMatchObject({ code: 'config_invalid' });
    expect(existsSync(join(dataDir, 'mirrors'))).toBe(false);
    expect(lines.join('')).not.toContain('reconcil');
    busy.free();
  });
});

it.each([
  ['info', ['info', 'warn']],
  ['warn', ['warn']],
  ['silent', []],
] as const)('logs nothing below log.level: %s', { tags: 'full' }, async (level, levels) => {
  const lines: string[] = [];
  const daemon = await start({
    // A plain HTTP listener on every address is worth a warning.
    overrides: { ...PORTS, admin: { host: '0.0.0.0', port: 0 }, log: { level } },
    log: { format: 'json', destination: { write: (line) => lines.push(line) } },
  });
  await daemon.stop();
  expect([...new Set(lines.map((line) => JSON.parse(line).level))].sort()).toEqual(levels);
});

it('warns of a factory without executor, in the log and as a condition', { tags: 'full' }, async () => {
  const lines: string[] = [];
  const factories: Json = [
    { name: 'idle', source: { type: 'live' } },
    { name: 'pulled', source: { type: 'live' }, runs: { executor: { type: 'queue' } } },
  ];
  const log = { format: 'json', destination: { write: (line: string) => lines.push(line) } } as const;
  const daemon = await start({ overrides: { ...PORTS, factories }, log });
  const warnings = () => lines.filter((line) => line.includes('factory has no executor'));
  await eventually(() => warnings().length > 0);
  await daemon.reconcile.reconcileNow('idle');
  expect(warnings().map((line) => JSON.parse(line))).toMatchObject([{ level: 'warn', factory: 'idle' }]);
  const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  const read = async (factory: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${daemon.adminUrl}/api/v1/factories/${factory}`, { headers });
    const { conditions } = (await answer.json()) as { conditions: { type: string; severity: string }[] };
    return conditions.find(({ type }) => type === 'NoExecutor')?.severity;
  };
  expect([await read('idle'), await read('pulled')]).toEqual(['warning', undefined]);
  await daemon.stop();
});

describe('daemon.json', () => {
  it('appears when both listeners accept, names them, and goes with a clean stop', async () => {
    const daemon = await start();
    expect(JSON.parse(readFileSync(daemonFile(), 'utf8'))).toEqual({
      pid: process.pid,
      ingress_url: daemon.ingressUrl,
      admin_url: daemon.adminUrl,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    expect(await (await fetch(`${daemon.ingressUrl}/healthz`)).json()).toEqual({ status: 'ok' });
    const { builtAt, ...build } = readBuildIdentity();
    const health = { status: 'ok', ...build, built_at: builtAt };
    expect(await (await fetch(`${daemon.adminUrl}/healthz`)).json()).toEqual(health);
    expect(build.commit).toMatch(/^[0-9a-f]{40}/);
    await daemon.stop();
    expect(existsSync(daemonFile())).toBe(false);
    expect(await daemon.exited).toBe(0);
    await expect(fetch(`${daemon.ingressUrl}/healthz`)).rejects.toThrow();
  });
});

describe('the first owner token', () => {
  const tokenFile = () => join(dataDir, 'admin-token');
  const ask = async (daemon: Daemon, token: string) =>
    (await fetch(`${daemon.adminUrl}/api/v1/factories`, { headers: { authorization: `Bearer ${token}` } })).status;

  it('is made by the first start, for this user alone, and kept by the second', async () => {
    await (await start()).stop();
    const token = readFileSync(tokenFile(), 'utf8').trim();
    expect(statSync(tokenFile()).mode & 0o777).toBe(0o600);
    const daemon = await start();
    expect(readFileSync(tokenFile(), 'utf8').trim()).toBe(token);
    expect(await ask(daemon, token)).toBe(200);
    await daemon.stop();
  });

  it('that was never used is created again if its file is missing, and the lost one is revoked', {
    tags: 'full',
  }, async () => {
    await (await start()).stop();
    const lost = readFileSync(tokenFile(), 'utf8').trim();
    writeFileSync(tokenFile(), '');
    const daemon = await start();
    const token = readFileSync(tokenFile(), 'utf8').trim();
    expect(token).not.toBe(lost);
    expect([await ask(daemon, token), await ask(daemon, lost)]).toEqual([200, 401]);
    await daemon.stop();
  });

  it('that was used and then removed stays removed', { tags: 'full' }, async () => {
    const first = await start();
    expect(await ask(first, readFileSync(tokenFile(), 'utf8').trim())).toBe(200);
    await first.stop();
    rmSync(tokenFile());
    await (await start()).stop();
    expect(existsSync(tokenFile())).toBe(false);
  });
});

it('no other user can read the files in the folder, also if the folder existed and was accessible', async () => {
  dataDir = join(dataDir, 'open');
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o755);
  process.umask(0o022);
  const daemon = await start();
  const open = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter(
    (name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0,
  );
  expect(readdirSync(dataDir)).toContain('dockbell.db');
  expect(open).toEqual([]);
  await daemon.stop();
});

describe('a data directory that others may write to', () => {
  it('is rejected if every user may, with the command that closes it', async () => {
    chmodSync(dataDir, 0o777);
    await expect(start()).rejects.toMatchObject({
      code: 'config_invalid',
      message: `dataDir ${dataDir} is writable by every user of this machine (mode 0777). Run: chmod 700 ${dataDir}`,
    });
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('is reported in the log if its group may, as volumes of containers often are', { tags: 'full' }, async () => {
    chmodSync(dataDir, 0o770);
    const lines: string[] = [];
    const daemon = await start({ log: { format: 'json', destination: { write: (line) => lines.push(line) } } });
    await daemon.stop();
    expect(lines.join('')).toContain(
      `dataDir ${dataDir} is writable by its group (mode 0770). Run: chmod 700 ${dataDir}`,
    );
  });

  it('cannot lead a file of the daemon elsewhere: planted files and links are replaced', { tags: 'full' }, async () => {
    await (await start()).stop();
    rmSync(join(dataDir, 'admin-token'));
    const victim = join(dataDir, 'victim');
    writeFileSync(victim, 'precious');
    const planted = ['admin-token.new', `daemon.json.${process.pid}`];
    for (const name of planted) writeFileSync(join(dataDir, name), '', { mode: 0o666 });
    symlinkSync(victim, join(dataDir, 'daemon.pid'));
    symlinkSync(victim, join(dataDir, 'admin-token'));
    const daemon = await start();
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(readFileSync(join(dataDir, 'daemon.pid'), 'utf8')).toBe(`${process.pid}\n`);
    expect(statSync(join(dataDir, 'admin-token')).mode & 0o777).toBe(0o600);
    for (const name of planted) expect(readFileSync(join(dataDir, name), 'utf8')).toBe('');
    await daemon.stop();
  });
});

it('noNewRuns starts no run until the drain is cancelled', { tags: 'full' }, async () => {
  const daemon = await start({ noNewRuns: true });
  const headers = { authorization: `Bearer ${readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()}` };
  const ask = async (method: string) =>
    (await fetch(`${daemon.adminUrl}/api/v1/drain`, { method, headers })).json() as Promise<{ state: string }>;
  expect(await ask('GET')).toMatchObject({ state: 'draining', executing_runs: 0 });
  expect(await ask('DELETE')).toMatchObject({ state: 'running', since: null });
  await daemon.stop();
});
