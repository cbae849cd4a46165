import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const AUTOMATION = `---
triggers:
  - provider: webhook
    event: received
    filter: { webhooks: [ci] }
retry: { maxAttempts: 2, backoff: 1s }
---
Do it.
`;
/** Writes an artifact, copies the key `results` of the payload to result.json, and fails in its first attempt if the payload has `fail`. */
const AGENT = `
const payload = JSON.parse(require('fs').readFileSync(process.env.DOCKBELL_PAYLOAD));
const { attempt } = JSON.parse(require('fs').readFileSync('run.json')).run;
require('fs').writeFileSync('page.html', '<script>alert(' + attempt + ')</script>');
require('fs').writeFileSync('result.json', payload.results[attempt - 1]);
process.exit(payload.fail && attempt === 1 ? 1 : 0);
`;

let repo: TempGitRepo;
let daemon: TestDaemon;
let url: string;

beforeAll(async () => {
  repo = await createTempGitRepo();
  await repo.commit({ 'webhooks/ci.yaml': 'secretName: CI_SECRET\n', 'automations/fix/automation.md': AUTOMATION });
  const runs = { executor: { type: 'command', command: [process.execPath, '-e', AGENT] } };
  const factories = [{ name: 'payments', source: { type: 'repository', url: repo.path }, runs }];
  daemon = await startDaemonHere({ config: { factories } });
  url = `${daemon.ingressUrl}/webhooks/w/${await applyCiFactory(daemon)}`;
});
afterAll(() => repo.remove());

async function runWith(payload: { results: string[]; fail?: boolean }) {
  const headers = { authorization: `Bearer ${CI_TOKEN}` };
  const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify(payload) });
  expect(status).toBe(202);
  return eventually(async () => {
    const { body } = await daemon.api('/factories/payments/runs?limit=1');
    return body.data[0].state === 'succeeded' ? body.data[0] : undefined;
  });
}

it('is shown by the API and the command line, and found by a search', async () => {
  const links = [{ title: 'Pull request 42', url: 'https://git.example.com/pull/42' }];
  const run = await runWith({ results: [JSON.stringify({ summary: 'Fixed 100% of\n\u001b[31mÄrger', links })] });
  expect(run.result).toEqual({ summary: 'Fixed 100% of\n\u001b[31mÄrger', links, artifacts: [], problem: null });
  const { stdout } = await daemon.cli('run', 'show', run.id);
  expect(stdout).toContain(
    'Result:\n  Fixed 100% of\n  \\x1b[31mÄrger\n  Pull request 42: https://git.example.com/pull/42\n',
  );

  const find = async (text: string) => {
    const { body } = await daemon.api(`/factories/payments/runs?search=${encodeURIComponent(text)}`);
    return body.data.map(({ id }: { id: string }) => id);
  };
  for (const text of ['fixed 100%', 'ÄRGER', 'request 42', 'git.example.com/pull/42'])
    expect(await find(text), text).toEqual([run.id]);
  for (const text of ['fixed 1_0', 'summary', 'git.example.org', '%']) {
    expect(await find(text), text).toEqual(text === '%' ? [run.id] : []);
  }
  expect((await daemon.cli('run', 'list', '--search', 'PULL')).stdout).toContain(run.id);
  expect((await daemon.cli('run', 'list', '--search', 'pulled')).stdout).toContain('No matching runs.');
});

it('is that of the last attempt, and each attempt keeps its own', { tags: 'full' }, async () => {
  const run = await runWith({ results: ['{"summary": "Tests fail"}', '{"summary": "Tests pass"}'], fail: true });
  expect(run).toMatchObject({
    result: { summary: 'Tests pass' },
    attempts: [
      { state: 'failed', result: { summary: 'Tests fail' } },
      { state: 'succeeded', result: { summary: 'Tests pass' } },
    ],
  });
});

it('that is broken is a note', { tags: 'full' }, async () => {
  const run = await runWith({ results: ['{"summary": 5}'] });
  expect(run.state).toBe('succeeded');
  const { stdout } = await daemon.cli('run', 'show', run.id);
  expect(stdout).toContain('result.json is not used: summary must be a text that is not empty');
});

it('has artifacts that can be listed and downloaded, and a browser never shows them', async () => {
  const artifacts = [{ name: 'The "page"', path: 'page.html' }];
  const results = [JSON.stringify({ artifacts }), JSON.stringify({ artifacts })];
  const { id } = await runWith({ results, fail: true });
  expect((await daemon.api(`/runs/${id}/artifacts`)).body.data).toEqual([
    { number: 1, name: 'The "page"', path: 'page.html', size: 25 },
  ]);
  const token = readFileSync(join(daemon.dataDir, 'admin-token'), 'utf8').trim();
  const get = (path: string, headers = { authorization: `Bearer ${token}` }) =>
    fetch(`${daemon.adminUrl}/api/v1/runs/${id}/artifacts${path}`, { headers });
  const last = await get('/1');
  expect([last.status, await last.text()]).toEqual([200, '<script>alert(2)</script>']);
  expect(Object.fromEntries(last.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment; filename="page.html"',
    'content-length': '25',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
  });
  expect(await (await get('/1?attempt=1')).text()).toBe('<script>alert(1)</script>');
  await daemon.cli('run', 'log', id);
  const actions = await eventually(async () => {
    const { body } = await daemon.api(`/audit?include=reads&object=runs/${id}`);
    return body.data.length >= 2 ? body.data.map(({ action }: { action: string }) => action) : undefined;
  });
  expect(actions).toEqual(['Read log of run', 'Read artifact of run']);
  for (const [path, status] of [
    ['/2', 404],
    ['/1?attempt=3', 404],
    ['?attempt=3', 404],
    ['/0', 400],
    ['/51', 400],
    ['/..%2f..%2f..%2fetc%2fpasswd', 400],
  ] as const) {
    expect((await get(path)).status, path).toBe(status);
  }
  expect((await get('/1', { authorization: 'Bearer dbk_wrong' })).status).toBe(401);
  const role = { name: 'worker', role: 'worker', factories: ['payments'] };
  const worker = (await daemon.api('/tokens', { method: 'POST', body: role })).body.token;
  expect((await get('/1', { authorization: `Bearer ${worker}` })).status).toBe(403);

  expect((await daemon.cli('run', 'show', id)).stdout).toContain(`  The "page": dockbell run artifact ${id} 1\n`);
  expect((await daemon.cli('run', 'artifact', id)).stdout).toMatch(
    /NUMBER +NAME +SIZE +PATH\n1 +The "page" +25 B +page.html/,
  );
  expect((await daemon.cli('run', 'artifact', id, 'The "page"', '--attempt', '1')).stdout).toBe(
    '<script>alert(1)</script>',
  );
  const file = join(createTempDir('artifact'), 'page.html');
  const save = () => daemon.cli('run', 'artifact', id, '1', '--save', file);
  expect((await save()).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe('<script>alert(2)</script>');
  expect(await save()).toMatchObject({ code: 1, stderr: expect.stringContaining('exists already') });
  expect((await daemon.cli('run', 'artifact', id, '7')).stderr).toContain('has no artifact 7');

  rmSync(join(daemon.dataDir, 'runs', id), { recursive: true });
  expect((await daemon.api(`/runs/${id}/artifacts`)).body.data).toMatchObject([{ size: null }]);
  expect((await get('/1')).status).toBe(404);
  expect((await daemon.cli('run', 'artifact', id, '1')).stderr).toContain('is not stored');
});
