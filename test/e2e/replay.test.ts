import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from '../helpers/test-daemon.ts';

const DELIVERIES = 300;
const KILLS = 3;

const declare = (prompt: string, action: string) => ({
  'webhooks/ci.yaml': 'secretName: CI_SECRET\n',
  'automations/review/automation.md': `---
triggers:
  - provider: webhook
    event: received
    filter: { webhooks: [ci], payload: { action: [${action}] } }
concurrency: { key: number, limit: 5 }
---
${prompt}
`,
});

let repo: TempGitRepo;
let options: TestDaemonOptions;
let daemon: TestDaemon;
let firstRevision: string;

beforeAll(async () => {
  repo = await createTempGitRepo();
  firstRevision = await repo.commit(declare('The first prompt.', 'open'));
  // Without an executor, runs stay queued.
  const factories = [{ name: 'payments', source: { type: 'repository', url: repo.path } }];
  options = { config: { limits: { deliveriesPerMinute: 100_000 }, factories } };
  daemon = await startTestDaemon(options);
  await deliverAll(`${daemon.ingressUrl}/webhooks/w/${await applyCiFactory(daemon)}`);
  const secondRevision = await repo.commit(declare('The second prompt.', 'closed'));
  await eventually(async () => (await daemon.api('/factories/payments')).body.applied_revision === secondRevision);
});
afterAll(() => repo.remove());

/** Every second delivery matches the first definition, the others match the second. */
async function deliverAll(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${CI_TOKEN}` };
  for (let from = 0; from < DELIVERIES; from += 50) {
    const batch = Array.from({ length: 50 }, (_, place) => {
      const number = from + place;
      return fetch(url, {
        method: 'POST',
        headers: { ...headers, 'x-request-id': `request-${number}` },
        body: JSON.stringify({ action: number % 2 === 0 ? 'open' : 'closed', number }),
      });
    });
    for (const { status } of await Promise.all(batch)) expect(status).toBe(202);
  }
}

async function listAll(path: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (let cursor: string | null = null; ; ) {
    const { body } = await daemon.api(`${path}?limit=200${cursor === null ? '' : `&cursor=${cursor}`}`);
    rows.push(...body.data);
    if (body.next_cursor === null) return rows;
    cursor = body.next_cursor;
  }
}

const read = async (id: string) => (await daemon.api(`/replays/${id}`)).body;
const waitForEnd = (id: string) =>
  eventually(async () => {
    const replay = await read(id);
    return replay.finished_at === null ? null : replay;
  }, 60_000);

it('replays each delivery once with the definition of its time, although the daemon is killed', {
  tags: 'full',
  timeout: 180_000,
}, async () => {
  const { status, body } = await daemon.api('/factories/payments/replays', {
    method: 'POST',
    body: { as_of: 'then', rate: 200 },
  });
  expect([status, body.total]).toEqual([201, DELIVERIES]);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await eventually(async () => (await read(body.id)).replayed >= (kill * DELIVERIES) / (KILLS + 2));
    expect(await daemon.end('SIGKILL')).toBeNull();
    daemon = await startTestDaemon({ ...options, dataDir: daemon.dataDir });
  }
  expect(await waitForEnd(body.id)).toMatchObject({
    state: 'finished',
    examined: DELIVERIES,
    replayed: DELIVERIES,
    matched: DELIVERIES / 2,
    runs: DELIVERIES / 2,
    skipped: [],
  });
  const deliveries = await listAll('/factories/payments/deliveries');
  const originals = deliveries.filter(({ replay_of }) => replay_of === null).map(({ id }) => id);
  const replayed = deliveries.flatMap(({ replay_of, replay }) => (replay === body.id ? replay_of : []));
  expect(originals).toHaveLength(DELIVERIES);
  expect([...replayed].sort()).toEqual([...originals].sort());
  const runs = await listAll('/factories/payments/runs');
  const again = runs.filter(({ delivery }) => !originals.includes(delivery));
  expect(again).toHaveLength(DELIVERIES / 2);
  for (const run of again) expect(run).toMatchObject({ automation: 'review', revision: firstRevision });
  const { body: input } = await daemon.api(`/runs/${again[0]!.id}/input`);
  expect(input.prompt).toContain('The first prompt.');
  const original = runs.find(
    ({ delivery_id, delivery }) => delivery_id === again[0]!.delivery_id && originals.includes(delivery),
  );
  const { stdout: story } = await daemon.cli('why', again[0]!.delivery as string);
  expect(story).toContain('admin-token replayed dlv_');
  expect(story).toContain('with the automations that it started when it was received');
  expect((await daemon.cli('why', original!.delivery as string)).stdout).toContain('replayed once by admin-token');
  expect(again[0]!.concurrency_key).toBe(original!.concurrency_key);
});

it('replays with the live definition what a filter selects, from the command line', async () => {
  const { length: total } = await listAll('/factories/payments/deliveries');
  const search = ['replay', '--search', '"action":"closed"', '--unmatched', '--rate', '1000/s'];
  const dryRun = await daemon.cli(...search, '--dry-run', '--json');
  expect(JSON.parse(dryRun.stdout)).toMatchObject({
    total,
    replayed: DELIVERIES / 2,
    runs: DELIVERIES / 2,
    automations: [{ automation: 'review', runs: DELIVERIES / 2 }],
    complete: true,
  });
  const { code, stdout } = await daemon.cli(...search, '--yes', '--wait', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ state: 'finished', as_of: 'now', replayed: 150, matched: 150, runs: 150 });
  const { stdout: prompt } = await daemon.cli('run', 'show', 'last', '--input');
  expect(prompt).toContain('The second prompt.');
}, 60_000);
