import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

const AUTOMATION = `---
triggers:
  - provider: webhook
    event: received
    filter: { webhooks: [ci] }
retry: { maxAttempts: 2, backoff: 1s }
---
Do it.
`;
/** Copies the key `result` of the payload to result.json, and fails in its first attempt if the payload has `fail`. */
const AGENT = `
const payload = JSON.parse(require('fs').readFileSync(process.env.DOCKBELL_PAYLOAD));
const { attempt } = JSON.parse(require('fs').readFileSync('run.json')).run;
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
  daemon = await startTestDaemon({ config: { factories } });
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
  for (const text of ['fixed 100%', 'ÄRGER', 'request 42']) expect(await find(text), text).toEqual([run.id]);
  for (const text of ['fixed 1_0', 'summary', 'git.example.com', '%']) {
    expect(await find(text), text).toEqual(text === '%' ? [run.id] : []);
  }
  expect((await daemon.cli('run', 'list', '--search', 'PULL')).stdout).toContain(run.id);
  expect((await daemon.cli('run', 'list', '--search', 'pulled')).stdout).toContain('No matching runs.');
});

it('is that of the last attempt, and each attempt keeps its own', async () => {
  const run = await runWith({ results: ['{"summary": "Tests fail"}', '{"summary": "Tests pass"}'], fail: true });
  expect(run).toMatchObject({
    result: { summary: 'Tests pass' },
    attempts: [
      { state: 'failed', result: { summary: 'Tests fail' } },
      { state: 'succeeded', result: { summary: 'Tests pass' } },
    ],
  });
});

it('that is broken is a note', async () => {
  const run = await runWith({ results: ['{"summary": 5}'] });
  expect(run.state).toBe('succeeded');
  const { stdout } = await daemon.cli('run', 'show', run.id);
  expect(stdout).toContain('result.json is not used: summary must be a text that is not empty');
});
