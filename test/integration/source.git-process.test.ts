import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createGitSource, type GitSourceOptions } from '../../src/reconcile/source/git-source.ts';
import { startGitHttpServer } from '../helpers/git-http-server.ts';
import { createTempGitRepo } from '../helpers/temp-git-repo.ts';

const endings: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dockbell-git-process-'));
  endings.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function fetchOnce(url: string, limits: GitSourceOptions['limits'] = {}) {
  const mirrorDir = join(createFolder(), 'mirror');
  const source = createGitSource({ url, branch: 'main', path: '.', mirrorDir, pollIntervalMs: 60_000, limits });
  endings.push(() => source.close());
  return source.fetch();
}

/** Each starts git once and gives `started` or why it was not. */
const STARTS = {
  'git-process.ts': `const outcome = await runGit({ args: ['version'], environment: process.env, timeoutMs: 10_000, maxOutputBytes: 1000 });
    return outcome.kind === 'exited' ? 'started' : outcome.message;`,
  'own-git.ts': `return useOwnGit({ dir: '/', isBare: false, environment: process.env, timeoutMs: 10_000 }, (git) => git.raw('version'))
    .then(() => 'started', (error) => error.message);`,
};

describe('Starting git', () => {
  it.each(Object.entries(STARTS))(
    'by %s with 0 to 20 free file descriptors answers each time, and ends no process',
    async (name, body) => {
      const script = join(createFolder(), 'scarce.mts');
      const modulePath = join(import.meta.dirname, '../../src/reconcile/source', name);
      writeFileSync(
        script,
        `import { closeSync, openSync } from 'node:fs';
        import { ${body.includes('runGit') ? 'runGit' : 'useOwnGit'} } from ${JSON.stringify(modulePath)};
        const start = async () => { ${body} };
        await start();
        const answers = [];
        for (let free = 0; free <= 20; free++) {
          const taken = [];
          try { for (;;) taken.push(openSync('/dev/null')); } catch {}
          for (let i = 0; i < free; i++) closeSync(taken.pop());
          answers.push(await start());
          for (const fd of taken) closeSync(fd);
        }
        console.log(JSON.stringify({ answers, last: await start() }));`,
      );
      const child = spawn('/bin/sh', ['-c', 'ulimit -n 200; exec "$0" "$1"', process.execPath, script]);
      let printed = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk));
      const [code] = await once(child, 'close');
      expect(`${code} ${code === 0 ? '' : printed}`).toBe('0 ');
      const { answers, last } = JSON.parse(printed);
      expect(answers[0]).toBe(
        'git cannot be started: Dockbell has no free file descriptor (EMFILE); raise its limit on open files',
      );
      expect([answers.at(-1), last]).toEqual(['started', 'started']);
    },
  );
});

describe('A git server', () => {
  it.runIf(process.platform === 'linux')('with an endless response gets no more memory than the limit', async () => {
    const filling = Buffer.alloc(1_000_000, 'a');
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-advertisement' });
      const write = () => {
        while (!response.destroyed && response.write(filling));
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    });
    expect(await fetchOnce(`${url}/x`, { maxFetchMemoryBytes: 200_000_000 })).toMatchObject({
      ok: false,
      reason: 'FetchTooLarge',
      message: expect.stringMatching(/needs more memory than git may use .*Out of memory/),
    });
  });

  it('that redirects to another URL is not followed, and the message names the setting', async () => {
    const repo = await createTempGitRepo({ bare: true });
    endings.push(() => repo.remove());
    await repo.commit({ 'webhooks/a.yaml': 'a' });
    const other = await startGitHttpServer({ root: repo.root });
    endings.push(() => other.close());
    const url = await serve((request, response) => {
      response.writeHead(302, { Location: `${other.url}${request.url}` }).end();
    });
    expect(await fetchOnce(`${url}/origin.git`)).toMatchObject({
      ok: false,
      reason: 'RepositoryRefused',
      message: expect.stringContaining('configure the final address'),
    });
    expect(other.requests).toEqual([]);
  });
});
