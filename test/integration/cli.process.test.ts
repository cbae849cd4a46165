import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSeededServer, createSeededServices, makeDelivery } from '../helpers/seeded-services.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

const children = new Set<ReturnType<typeof spawn>>();
let dir: string;
let app: ReturnType<typeof createSeededServer>;
let env: Record<string, string>;
/** Followers read older pages only to find rows that they know; the other test needs pages without end. */
let isFollowing: boolean;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dockbell-cli-'));
  isFollowing = false;
  const services = createSeededServices();
  let next = 0;
  // Every page begins with a row that was not there before, so that following always has something to write.
  services.deliveries.list = async ({ limit, cursor }) => {
    if (cursor !== null && isFollowing) return { data: [], nextCursor: null };
    next += limit;
    const ids = Array.from({ length: limit }, (_, i) => `dlv_${String(next - i).padStart(26, '0')}` as const);
    return { data: ids.map((id) => makeDelivery({ id })), nextCursor: 'more' };
  };
  app = createSeededServer(services);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  env = { DOCKBELL_URL: url, DOCKBELL_TOKEN: services.grant('owner'), PATH, NODE_COMPILE_CACHE };
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await app.close();
  await rm(dir, { recursive: true, force: true });
});

/** The built program in a separate process; `onOutput` sees each piece of standard output. */
function start(argv: string[], onOutput: (child: ReturnType<typeof spawn>, seen: string) => void = () => {}) {
  const child = spawn(process.execPath, [MAIN, ...argv], { cwd: dir, env });
  children.add(child);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (piece) => {
    stdout += piece;
    onOutput(child, stdout);
  });
  child.stderr.on('data', (piece) => {
    stderr += piece;
  });
  return new Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

describe('the process', () => {
  it.runIf(existsSync('/dev/full'))(
    'reports in one sentence that its output cannot be written, and ends with 1',
    async () => {
      const script = `exec "$0" "$1" --help > /dev/full`;
      const child = spawn('sh', ['-c', script, process.execPath, MAIN], { cwd: dir, env });
      children.add(child);
      child.stderr.setEncoding('utf8');
      const [stderr, code] = await Promise.all([
        child.stderr.toArray().then((pieces) => pieces.join('')),
        new Promise((resolve) => child.on('close', resolve)),
      ]);
      expect({ stderr, code }).toEqual({
        stderr: 'The output cannot be written (ENOSPC): free disk space, or check the output file.\n',
        code: 1,
      });
    },
  );

  it('ends with the exit code of the command and leaves nothing open', async () => {
    expect(await start(['status', '--factory', 'payments'])).toMatchObject({ code: 0, signal: null });
    expect(await start(['nope'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('does not crash when its output is closed', { tags: 'full' }, async () => {
    const argv = ['delivery', 'list', 'internal-ci', '--limit', '20000', '--json', '--factory', 'payments'];
    const { code, signal, stderr } = await start(argv, (child) => child.stdout!.destroy());
    expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' });
  });

  it('stops following when its output is closed', { tags: 'full' }, async () => {
    isFollowing = true;
    const argv = ['delivery', 'list', 'internal-ci', '--follow', '--limit', '1', '--factory', 'payments'];
    const { code, signal, stderr } = await start(argv, (child) => child.stdout!.destroy());
    expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' });
  });

  it('stops following on Ctrl-C with 0', async () => {
    isFollowing = true;
    const argv = ['delivery', 'list', 'internal-ci', '--follow', '--limit', '1', '--factory', 'payments'];
    const { code, signal } = await start(argv, (child) => child.kill('SIGINT'));
    expect({ code, signal }).toEqual({ code: 0, signal: null });
  });
});
