import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const declare = (policy: string, action: string) => `---
triggers:
  - provider: webhook
    event: received
    filter: { webhooks: [ci], payload: { action: [${action}] } }
${policy}
---
Do it.
`;
const FILES = {
  'webhooks/ci.yaml': 'secretName: CI_SECRET\n',
  'automations/review/automation.md': declare(
    'concurrency: { key: pull_request.number, mode: latest, cancelRunning: true }',
    'push',
  ),
  'automations/digest/automation.md': declare('debounce: 1s\nconcurrency: { key: channel, limit: 5 }', 'message'),
  'automations/costly/automation.md': declare('budget: { runs: 2, per: 1h }', 'cost'),
  'automations/flaky/automation.md': declare('retry: { maxAttempts: 2, backoff: 1s }', 'fail'),
};
/** Fails for one kind of payload, and otherwise runs for a second. */
const AGENT = 'if grep -q fail "$DOCKBELL_PAYLOAD"; then exit 3; fi; sleep 1';

let repo: TempGitRepo;
let daemon: TestDaemon;
let url: string;

beforeAll(async () => {
  repo = await createTempGitRepo();
  await repo.commit(FILES);
  const runs = { executor: { type: 'command', command: ['sh', '-c', AGENT] }, concurrency: 4 };
  const factories = [{ name: 'payments', source: { type: 'repository', url: repo.path }, runs }];
  daemon = await startDaemonHere({ config: { factories } });
  url = `${daemon.ingressUrl}/webhooks/w/${await applyCiFactory(daemon)}`;
});
afterAll(() => repo.remove());

async function deliver(payload: object): Promise<void> {
  const headers = { authorization: `Bearer ${CI_TOKEN}` };
  const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify(payload) });
  expect(status).toBe(202);
}

/** All runs of the automation, oldest first, once they have ended. */
const settled = (automation: string, count: number) =>
  eventually(async () => {
    const { body } = await daemon.api(`/factories/payments/runs?automation=${automation}&limit=50`);
    const runs = (body.data as Record<string, unknown>[]).reverse();
    return runs.length === count && runs.every(({ finished_at }) => finished_at !== null) ? runs : undefined;
  });

it('ten pushes to one pull request end with one run of the last push', async () => {
  for (let push = 1; push <= 10; push += 1) {
    await deliver({ action: 'push', push, pull_request: { number: 7 } });
  }
  await deliver({ action: 'push', push: 11, pull_request: { number: 8 } });
  const runs = await settled('review', 11);
  const [other, last] = [runs.pop()!, runs.pop()!];
  expect([last, other]).toMatchObject([
    { state: 'succeeded', concurrency_key: '[7]', superseded_by: null },
    { state: 'succeeded', concurrency_key: '[8]', superseded_by: null },
  ]);
  for (const run of runs) expect(run).toMatchObject({ state: 'cancelled', error: 'superseded' });
  expect(runs.at(-1)!.superseded_by).toBe(last.id);
  const { stdout } = await daemon.cli('why', runs[0]!.id as string);
  expect(stdout).toContain('A newer run with the same concurrency key replaced it');
});

it('a failed run is retried as its automation declares', async () => {
  await deliver({ action: 'fail' });
  const [run] = await settled('flaky', 1);
  expect(run).toMatchObject({ state: 'failed', attempt: 2, attempts: [{ exit_code: 3 }, { exit_code: 3 }] });
  const { stdout } = await daemon.cli('why', run!.id as string);
  expect(stdout).toContain('exit code 3');
});

it('ten messages within the quiet time of a channel start one run, with the last one', { tags: 'full' }, async () => {
  for (let message = 1; message <= 10; message += 1) await deliver({ action: 'message', channel: 'ops', message });
  await deliver({ action: 'message', channel: 'dev', message: 1 });
  const runs = await settled('digest', 11);
  const started = runs.filter(({ state }) => state === 'succeeded');
  expect(started.map(({ concurrency_key }) => concurrency_key)).toEqual(['["ops"]', '["dev"]']);
  const id = started[0]!.id as string;
  const { body } = await daemon.api(`/runs/${id}/input`);
  expect(body.stands_for).toMatchObject({ count: 9 });
  const payload = await daemon.cli('run', 'show', id, '--payload');
  expect(JSON.parse(payload.stdout)).toMatchObject({ message: 10 });
  const { stdout } = await daemon.cli('run', 'show', id, '--input');
  expect(stdout).toContain('Stands for 9 other deliveries');
});

it('a run over the budget waits, visibly, and a pause keeps all runs from starting', {
  tags: ['full', 'continues'],
}, async () => {
  for (let task = 1; task <= 3; task += 1) await deliver({ action: 'cost', task });
  const waiting = await eventually(async () => {
    const { body } = await daemon.api('/factories/payments/runs?automation=costly');
    const runs = body.data as { state: string; waiting: { reason: string } | null }[];
    return runs.find(({ waiting }) => waiting?.reason === 'budget');
  });
  expect(waiting).toMatchObject({ state: 'queued' });

  const paused = await daemon.cli('pause', '--automation', 'flaky', '--reason', 'It costs too much');
  expect(paused.stdout).toBe(
    "Paused automation flaky of factory payments. Runs wait until 'dockbell resume --factory payments --automation flaky'.\n",
  );
  await deliver({ action: 'fail', task: 'paused' });
  const asked = await eventually(async () => {
    const { stdout } = await daemon.cli('why', 'flaky');
    return stdout.includes('paused automation flaky') ? stdout : undefined;
  });
  expect(asked).toContain('Reason: It costs too much.');
  expect((await daemon.cli('automation', 'list')).stdout).toContain('Paused by admin-token.');
  const status = await daemon.cli('status');
  expect(status.stdout).toContain('paused automation flaky');
  const shown = await daemon.cli('automation', 'show', 'flaky');
  expect(shown.stdout).toMatch(/^Paused: .*: It costs too much$/m);
  const resumed = await daemon.cli('resume', '--automation', 'flaky');
  expect(resumed.stdout).toBe('Resumed automation flaky of factory payments.\n');
  expect((await settled('flaky', 2)).at(-1)).toMatchObject({ state: 'failed' });
  const again = await daemon.cli('resume');
  expect(again).toMatchObject({ code: 1, stdout: 'Factory payments is not paused.\n' });
  const { body } = await daemon.api('/audit?limit=20');
  expect((body.data as { action: string }[]).map(({ action }) => action)).toEqual(
    expect.arrayContaining(['Pause automation', 'Resume automation']),
  );
});
