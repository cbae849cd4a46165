import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { type GitHttpServer, startGitHttpServer } from '../helpers/git-http-server.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';
import { startWorkerProcess, type WorkerProcess } from '../helpers/worker-process.ts';

const SOURCE_PASSWORD = 'password-of-the-source';
const RUNS_PASSWORD = 'password-for-the-runs';

const declare = (action: string, workspace: string) => `---
triggers:
  - provider: webhook
    event: received
    filter: { webhooks: [ci], payload: { action: [${action}] } }
agent: triage
workspace: ${workspace}
---
Do it.
`;

const dir = createTempDir('worker-workspace');
let factory: TempGitRepo;
let app: TempGitRepo;
let sources: GitHttpServer;
let apps: GitHttpServer;
let daemon: TestDaemon;
let worker: WorkerProcess;
let url: string;
let appUrl: string;

const serve = (repo: TempGitRepo, password: string) =>
  startGitHttpServer({
    root: repo.root,
    authorization: `Basic ${Buffer.from(`bot:${password}`).toString('base64')}`,
  });
const addressOf = (repo: TempGitRepo, server: GitHttpServer) => `${server.url}/${basename(repo.path)}/.git`;
const withPassword = (address: string, password: string) => address.replace('//', `//bot:${password}@`);

beforeAll(async () => {
  [factory, app] = await Promise.all([createTempGitRepo(), createTempGitRepo()]);
  [sources, apps] = await Promise.all([serve(factory, SOURCE_PASSWORD), serve(app, RUNS_PASSWORD)]);
  appUrl = addressOf(app, apps);
  await app.commit({ 'app.txt': 'first' });
  await factory.commit({
    'webhooks/ci.yaml': 'secretName: CI_SECRET\n',
    'automations/own/automation.md': declare('own', '{}'),
    'automations/app/automation.md': declare('app', '{ repository: "{{ repository.url }}", ref: "{{ head.sha }}" }'),
    'agents/triage/agent.md': 'You triage.\n',
  });
  const runs = {
    executor: { type: 'queue', lease: '30s' },
    workspaces: [{ url: withPassword(appUrl, RUNS_PASSWORD) }],
  };
  const source = { type: 'repository', url: withPassword(addressOf(factory, sources), SOURCE_PASSWORD) };
  daemon = await startDaemonHere({ config: { factories: [{ name: 'payments', source, runs }] } });
  url = `${daemon.ingressUrl}/webhooks/w/${await applyCiFactory(daemon)}`;
  const body = { name: 'builders', role: 'worker', factories: ['payments'] };
  const { token } = (await daemon.api('/tokens', { method: 'POST', body })).body;
  const script = [
    'cat definition/agents/triage/agent.md; ls -l definition/agents/triage/agent.md | cut -c 1-10',
    'cd "$DOCKBELL_WORKSPACE" && cat *.txt && git status --porcelain && git rev-parse HEAD',
    'env; cat ../run.json .git/config',
  ].join('\n');
  const file = join(dir, 'agent.sh');
  writeFileSync(file, script);
  const stateDir = mkdtempSync(join(dir, 'state-'));
  worker = startWorkerProcess({ url: daemon.adminUrl, token, stateDir, args: ['--exec', 'sh', file] });
});
afterAll(async () => {
  await worker.end('SIGTERM');
  await Promise.all([sources.close(), apps.close()]);
  for (const repo of [factory, app]) repo.remove();
});

async function runWith(payload: object) {
  const headers = { authorization: `Bearer ${CI_TOKEN}` };
  expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(payload) })).status).toBe(202);
  const run = await eventually(async () => {
    const { body } = await daemon.api('/factories/payments/runs?limit=1');
    return body.data[0].finished_at === null ? undefined : body.data[0];
  }, 60_000);
  return { run, log: (await daemon.cli('run', 'log', run.id)).stdout };
}

it('a run on a worker gets the agent files, and the commit that the payload names', { tags: 'full' }, async () => {
  const commit = await app.git(['rev-parse', 'HEAD']);
  await app.commit({ 'app.txt': 'second' });
  const { run, log } = await runWith({ action: 'app', repository: { url: appUrl }, head: { sha: commit } });
  expect(run).toMatchObject({ state: 'succeeded', error: null, executor: 'queue' });
  expect(log).toContain(`You triage.\n-r--------\nfirst${commit}\n`);
  for (const text of [
    log,
    worker.output(),
    daemon.output(),
    readFileSync(join(daemon.dataDir, 'daemon.json'), 'utf8'),
  ]) {
    expect(text).not.toContain(RUNS_PASSWORD);
  }
  const { body } = await daemon.api(`/runs/${run.id}/input`);
  expect(body.workspace).toEqual({ repository: appUrl, ref: commit });
});

it('a worker does not get the credentials of the source of the factory', { tags: 'full' }, async () => {
  const before = sources.requests.length;
  const { run } = await runWith({ action: 'own' });
  expect(run).toMatchObject({
    state: 'failed',
    error: `workspace: workers do not get the credentials of the source of a factory; add ${addressOf(factory, sources)} with credentials for runs to runs.workspaces in dockbell.yaml`,
  });
  expect(sources.requests.slice(before)).toEqual([]);
});

it('a run on a worker fails with the reason if its workspace is not allowed', { tags: 'full' }, async () => {
  const { run } = await runWith({ action: 'app', repository: { url: '/etc' }, head: { sha: 'main' } });
  expect(run.error).toContain('workspace.repository: "/etc" is not allowed; add it to runs.workspaces');
  const missing = await runWith({ action: 'app', repository: { url: appUrl }, head: { sha: 'e'.repeat(40) } });
  expect(missing.run.error).toContain('the workspace cannot be checked out');
});
