import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const AUTOMATION = `---
triggers:
  - provider: webhook
    event: received
    filter: { webhooks: [ci] }
agent: triage
---
Do it.
`;
const declare = (agent: string) => ({
  'webhooks/ci.yaml': 'secretName: CI_SECRET\n',
  'automations/triage/automation.md': AUTOMATION,
  'agents/triage/agent.md': agent,
  'skills/logs/SKILL.md': 'Read logs.\n',
  'benchmarks/unused.md': 'Not for runs.\n',
});

let repo: TempGitRepo;
let daemon: TestDaemon;
let url: string;
let gate: string;

beforeAll(async () => {
  repo = await createTempGitRepo();
  gate = join(repo.root, 'gate');
  await repo.commit(declare('You triage.\n'));
  // The first run holds the only slot until the file exists.
  const agent = `until [ -e ${gate} ]; do sleep 0.05; done; cat definition/agents/triage/agent.md; find definition -type f | sort`;
  const runs = { executor: { type: 'command', command: ['sh', '-c', agent] }, concurrency: 1 };
  const factories = [{ name: 'payments', source: { type: 'repository', url: repo.path }, runs }];
  daemon = await startDaemonHere({ config: { factories } });
  url = `${daemon.ingressUrl}/webhooks/w/${await applyCiFactory(daemon)}`;
});
afterAll(() => repo.remove());

async function deliver(): Promise<string> {
  const headers = { authorization: `Bearer ${CI_TOKEN}` };
  const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ at: Math.random() }) });
  expect(status).toBe(202);
  const { body } = await daemon.api('/factories/payments/runs?limit=1');
  return body.data[0].id;
}

const logOf = (run: string) =>
  eventually(async () => {
    const { body } = await daemon.api(`/runs/${run}`);
    return body.state === 'succeeded' ? (await daemon.cli('run', 'log', run)).stdout : undefined;
  });

it('a run gets the files of the commit that was live, also after a push that replaced the history', async () => {
  const blocker = await deliver();
  const queued = await deliver();
  await repo.forcePush(declare('You triage differently.\n'));
  await repo.git(['reflog', 'expire', '--expire=now', '--all']);
  await repo.git(['gc', '--quiet', '--prune=now']);
  expect((await daemon.cli('reconcile', '--wait')).code).toBe(0);
  const after = await deliver();
  expect(existsSync(gate)).toBe(false);
  writeFileSync(gate, '');
  const files = 'definition/agents/triage/agent.md\ndefinition/skills/logs/SKILL.md\n';
  expect(await logOf(blocker)).toBe(`You triage.\n${files}`);
  expect(await logOf(queued)).toBe(`You triage.\n${files}`);
  expect(await logOf(after)).toBe(`You triage differently.\n${files}`);

  const { body } = await daemon.api(`/runs/${queued}/agent-files`);
  expect(body.data).toMatchObject([
    { path: 'agents/triage/agent.md', size: 12, content_base64: Buffer.from('You triage.\n').toString('base64') },
    { path: 'skills/logs/SKILL.md' },
  ]);
});

it('an unknown agent is a warning of the apply, and of validate', { tags: 'full' }, async () => {
  const misspelt = AUTOMATION.replace('agent: triage', 'agent: traige');
  await repo.commit({ 'automations/triage/automation.md': misspelt });
  expect((await daemon.cli('reconcile', '--wait')).code).toBe(0);
  const { body } = await daemon.api('/factories/payments/automations/triage');
  expect(body.warnings).toMatchObject([{ rule: 'automation/unknown-agent', hint: 'Did you mean "triage"?' }]);
  const { stdout, code } = await daemon.cli('validate', repo.path);
  expect(code).toBe(0);
  expect(stdout).toContain('automation/unknown-agent');
});
