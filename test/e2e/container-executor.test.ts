import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { installStandInEngine, type StandInEngine } from '../helpers/stand-in-engine.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from '../helpers/test-daemon.ts';

const AUTOMATION = `---
triggers:
  - { provider: webhook, event: received, filter: { webhooks: [ci] } }
---
Do it.
`;

let repo: TempGitRepo;
let engine: StandInEngine;
let options: TestDaemonOptions;
let daemon: TestDaemon;
let uid: string;

beforeAll(async () => {
  repo = await createTempGitRepo();
  engine = installStandInEngine(repo.root);
  await repo.commit({ 'webhooks/ci.yaml': 'secretName: CI_SECRET\n', 'automations/fix/automation.md': AUTOMATION });
  const args = ['sh', '-c', 'if grep -q wait event-payload.json; then sleep 600; fi; cat prompt.md'];
  const executor = { type: 'container', engine: 'podman', image: 'agent:1', args };
  const factories = [{ name: 'payments', source: { type: 'repository', url: repo.path }, runs: { executor } }];
  options = { config: { factories }, env: { PATH: `${engine.bin}:${process.env.PATH}` } };
  daemon = await startTestDaemon(options);
  uid = await applyCiFactory(daemon);
});
afterAll(async () => {
  await daemon?.end('SIGTERM');
  repo.remove();
});

async function deliver(payload: object): Promise<string> {
  const headers = { authorization: `Bearer ${CI_TOKEN}` };
  const url = `${daemon.ingressUrl}/webhooks/w/${uid}`;
  expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(payload) })).status).toBe(202);
  return (await daemon.api('/factories/payments/runs?limit=1')).body.data[0].id;
}

const ended = (run: string) =>
  eventually(async () => {
    const { body } = await daemon.api(`/runs/${run}`);
    return body.finished_at === null ? undefined : body;
  });

it('a delivery starts one container, whose output is the log of the run', async () => {
  const run = await deliver({ n: 1 });
  expect(await ended(run)).toMatchObject({ state: 'succeeded', executor: 'container', exit_code: 0 });
  expect((await daemon.cli('run', 'log', run)).stdout).toContain('Do it.');
  expect(engine.containers()).toEqual([]);
});

it('a container that a killed daemon left is removed, and its run ends as interrupted', { tags: 'full' }, async () => {
  const run = await deliver({ wait: true });
  await eventually(async () => (engine.containers().length === 1 ? true : undefined));
  await daemon.end('SIGKILL');
  expect(engine.containers()).toHaveLength(1);
  daemon = await startTestDaemon({ ...options, dataDir: daemon.dataDir });
  expect(await ended(run)).toMatchObject({ state: 'failed', error: 'interrupted', attempt: 1 });
  expect(engine.containers()).toEqual([]);
  const starts = engine.calls().filter((call) => call.includes(`--label=dockbell.run=${run}`));
  expect(starts).toHaveLength(1);
});
