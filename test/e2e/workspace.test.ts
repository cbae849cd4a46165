import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const declare = (action: string, workspace: string) => `---
triggers:
  - provider: webhook
    event: received
    filter: { webhooks: [ci], payload: { action: [${action}] } }
workspace: ${workspace}
---
Do it.
`;

let factory: TempGitRepo;
let app: TempGitRepo;
let daemon: TestDaemon;
let url: string;

beforeAll(async () => {
  [factory, app] = await Promise.all([createTempGitRepo(), createTempGitRepo()]);
  await app.commit({ 'app.txt': 'first' });
  await factory.commit({
    'webhooks/ci.yaml': 'secretName: CI_SECRET\n',
    'automations/own/automation.md': declare('own', '{}'),
    'automations/app/automation.md': declare('app', '{ repository: "{{ repository.url }}", ref: "{{ head.sha }}" }'),
    'own.txt': 'own',
  });
  const script = 'cd "$DOCKBELL_WORKSPACE" && cat *.txt && git status --porcelain && git rev-parse HEAD';
  const runs = { executor: { type: 'command', command: ['sh', '-c', script] }, workspaces: [{ url: app.path }] };
  const factories = [{ name: 'payments', source: { type: 'repository', url: factory.path }, runs }];
  daemon = await startDaemonHere({ config: { factories } });
  url = `${daemon.ingressUrl}/webhooks/w/${await applyCiFactory(daemon)}`;
});
afterAll(() => {
  factory.remove();
  app.remove();
});

async function runWith(payload: object) {
  const headers = { authorization: `Bearer ${CI_TOKEN}` };
  expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(payload) })).status).toBe(202);
  const run = await eventually(async () => {
    const { body } = await daemon.api('/factories/payments/runs?limit=1');
    return body.data[0].finished_at === null ? undefined : body.data[0];
  });
  return { run, log: (await daemon.cli('run', 'log', run.id)).stdout };
}

it('a run gets the commit of its factory that was live', async () => {
  const { run, log } = await runWith({ action: 'own' });
  expect(run).toMatchObject({ state: 'succeeded', error: null });
  expect(log).toBe(`own${run.revision}\n`);
});

it('a run gets the commit that the payload names, of a repository that dockbell.yaml lists', async () => {
  const commit = await app.git(['rev-parse', 'HEAD']);
  await app.commit({ 'app.txt': 'second' });
  const payload = { action: 'app', repository: { url: app.path }, head: { sha: commit } };
  const { run, log } = await runWith(payload);
  expect(log).toBe(`first${commit}\n`);
  const { body } = await daemon.api(`/runs/${run.id}/input`);
  expect(body.workspace).toEqual({ repository: app.path, ref: commit });
});

it.each([
  [
    'another repository',
    { repository: { url: '/etc' }, head: { sha: 'main' } },
    'workspace.repository: "/etc" is not allowed; add it to runs.workspaces',
  ],
  ['an option', { repository: { url: '--upload-pack=id' }, head: { sha: 'main' } }, 'is not allowed'],
  ['a ref that is none', { head: { sha: '../x' } }, 'workspace.ref: "../x" is not a branch, a tag or a commit ID'],
  ['no ref', { head: {} }, 'workspace.ref: the payload has no text and no whole number at head.sha'],
  ['an unknown commit', { head: { sha: 'e'.repeat(40) } }, 'the workspace cannot be checked out'],
])('a run fails with the reason if the payload names %s', { tags: 'full' }, async (_what, payload, problem) => {
  const { run } = await runWith({ action: 'app', repository: { url: app.path }, ...payload });
  expect(run).toMatchObject({ state: 'failed', error: expect.stringContaining(problem) });
});
