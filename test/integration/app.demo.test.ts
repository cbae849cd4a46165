import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importBuiltApp } from '../helpers/built-app.ts';
import { locate } from '../helpers/documents.ts';
import { eventually } from '../helpers/eventually.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { runTestGit } from '../helpers/temp-git-repo.ts';

const USUAL_PORT = 8787;
const OWN_COMMAND = `${process.execPath} ${fileURLToPath(locate('dist/main.js'))}`;

let runDemo: Awaited<ReturnType<typeof importBuiltApp>>['runDemo'];
let dir: string;
let busy: Server;
const umask = process.umask();
beforeAll(async () => {
  ({ runDemo } = await importBuiltApp());
  dir = createTempDir('demo');
  // Occupies the default port, unless another process already uses it.
  busy = createServer().on('error', () => {});
  await new Promise((resolve) =>
    busy.once('listening', resolve).once('error', resolve).listen(USUAL_PORT, '127.0.0.1'),
  );
});
afterAll(() => {
  busy.close();
  process.umask(umask);
});

interface RunningDemo {
  shown(): string;
  curls: string[];
  end(): Promise<number>;
}

async function startDemo(env: Record<string, string> = {}): Promise<RunningDemo> {
  const chunks: string[] = [];
  const out = new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(String(chunk));
      done();
    },
  });
  const stop = new AbortController();
  const exited = runDemo({
    dir,
    ownCommand: OWN_COMMAND,
    out,
    env: { PATH: process.env.PATH, ...env },
    stop: stop.signal,
  });
  exited.catch(() => {});
  const shown = () => chunks.join('');
  await Promise.race([exited, eventually(() => shown().includes('Ctrl-C'), 60_000)]);
  const curls = shown()
    .split('\n')
    .filter((line) => line.startsWith('curl '));
  return {
    shown,
    curls,
    end: () => {
      stop.abort();
      return exited;
    },
  };
}

/** What of a curl must be the same at the next start: everything but the port. */
const withoutPort = (curl: string) => curl.replace(/127\.0\.0\.1:\d+/, 'HOST');

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it('serves the example with one curl for each webhook that starts a run, and a second start continues with it, on the ports of the environment', {
  timeout: 180_000,
}, async () => {
  const first = await startDemo();
  expect(first.curls.length).toBeGreaterThanOrEqual(3);
  expect(first.shown()).toMatch(/report-activity: schedule \* \* \* \* \*, next at \d{4}-/);
  // Without a further command: an event of GitHub, as the help says.
  const { stdout: help } = await runCli(['demo', '--help']);
  expect(help.replace(/\s+/g, ' ')).toContain('and send one signed event; a schedule starts a run each minute');
  await eventually(() => first.shown().includes('started by github issue_labeled'));
  expect(first.shown()).toContain('Sent a signed event to the webhook github of the factory payments: 202');
  for (const curl of first.curls) {
    expect(curl).not.toContain(`:${USUAL_PORT}/`);
    const before = first.shown().split('    | ').length;
    const { stdout } = await promisify(execFile)('sh', ['-c', `${curl} --silent --max-time 10`]);
    expect(stdout).toMatch(/^HTTP\/1\.1 202 /);
    await eventually(() => first.shown().split('    | ').length > before);
  }
  const [, status = '', list = ''] = /In another terminal:\n(.+)\n(.+)\n/.exec(first.shown()) ?? [];
  const run = async (command: string) => (await promisify(execFile)('sh', ['-c', command])).stdout;
  expect(await run(status)).toContain('✓ example');
  expect(await run(list)).toContain('Accepted');
  expect(await first.end()).toBe(0);

  const repository = join(dir, 'example-factory');
  writeFileSync(join(repository, 'NOTES.md'), 'mine');
  const head = await runTestGit(repository, ['rev-parse', 'HEAD']);
  const [ingressPort, adminPort] = [await findFreePort(), await findFreePort()];
  const second = await startDemo({ DOCKBELL_INGRESS_PORT: `${ingressPort}`, DOCKBELL_ADMIN_PORT: `${adminPort}` });
  expect(second.shown()).toContain(`http://127.0.0.1:${adminPort}/`);
  for (const curl of second.curls) expect(curl).toContain(`http://127.0.0.1:${ingressPort}/`);
  expect(second.curls.map(withoutPort)).toEqual(first.curls.map(withoutPort));
  expect(await runTestGit(repository, ['rev-parse', 'HEAD'])).toBe(head);
  expect(existsSync(join(repository, 'NOTES.md'))).toBe(true);
  expect(await second.end()).toBe(0);
});

it('that is stopped while it starts ends cleanly', { tags: 'full' }, async () => {
  const stop = new AbortController();
  stop.abort();
  const out = new Writable({ write: (_chunk, _encoding, done) => done() });
  const dir = createTempDir('demo');
  const code = await runDemo({ dir, ownCommand: OWN_COMMAND, out, env: { PATH: process.env.PATH }, stop: stop.signal });
  expect(code).toBe(0);
});
