import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const SECRETS = { CI_SECRET: 'ci-secret-canary-0001', RUN_SECRET: 'run-secret-canary-0002' };
const CONCURRENCY = 3;
const ENDED = ['succeeded', 'failed', 'cancelled'];

/** The payload selects what the command does. With `count`, it records in another folder that it runs. */
const AGENT = `#!/bin/sh
mode=$(sed -n 's/.*"mode":"\\([a-z]*\\)".*/\\1/p' event-payload.json)
case "$mode" in
  secret) echo "it is $RUN_SECRET" ;;
  fill) head -c 900000 /dev/zero > filling ;;
  stay) (sleep 300 & sleep 301) & echo ready; wait ;;
  count) mkdir "$RUNNING/$DOCKBELL_RUN_ID"; ls "$RUNNING" | wc -l; sleep 0.1; rmdir "$RUNNING/$DOCKBELL_RUN_ID" ;;
  *) printf '%s' "$DOCKBELL_DELIVERY_ID"; cat prompt.md ;;
esac
`;

function declareAutomation(webhooks: string, more = ''): string {
  return `---
triggers:
  - provider: webhook
    event: received
    filter:
      webhooks: [${webhooks}]
${more}---
Look at it.
`;
}

const FILES = {
  'webhooks/ci.yaml': 'secretName: CI_SECRET\n',
  'webhooks/named.yaml': 'secretName: CI_SECRET\ndeliveryIdHeader: X-Event\n',
  'webhooks/leaving.yaml': 'secretName: CI_SECRET\n',
  'automations/act/automation.md': declareAutomation('ci, named, leaving', 'secrets: [RUN_SECRET]\n'),
  'automations/fatal/automation.md': declareAutomation('ci', '      payload: { level: [fatal] }\n'),
  'automations/off/automation.md': declareAutomation('ci', 'enabled: false\n'),
};

let repo: TempGitRepo;
let daemon: TestDaemon;
let config: Record<string, unknown>;
const uids = new Map<string, string>();

const post = (webhook: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${daemon.ingressUrl}/webhooks/w/${uids.get(webhook)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SECRETS.CI_SECRET}`, ...headers },
    body,
  });

async function deliver(webhook: string, body: string, headers: Record<string, string> = {}) {
  const { status } = await post(webhook, body, headers);
  const { body: log } = await daemon.api(`/factories/payments/webhooks/${uids.get(webhook)}/deliveries?limit=1`);
  return { status, delivery: log.data[0] };
}

const findRun = async (id: string, states: readonly string[]) =>
  eventually(async () => {
    const { body } = await daemon.api(`/runs/${id}`);
    return states.includes(body.state) ? body : null;
  }, 30_000);

async function apply(files: Record<string, string | null>): Promise<void> {
  const revision = await repo.commit(files);
  await eventually(async () => (await daemon.api('/factories/payments')).body.applied_revision === revision, 20_000);
}

beforeAll(async () => {
  repo = await createTempGitRepo();
  await repo.commit(FILES);
  const folder = createTempDir('operator');
  const agent = join(folder, 'agent.sh');
  writeFileSync(agent, AGENT.replaceAll('$RUNNING', createTempDir('running')));
  chmodSync(agent, 0o755);
  const executor = { type: 'command', command: [agent], timeout: '5m' };
  const source = { type: 'repository', url: repo.path };
  config = {
    retention: { runBytes: 1_048_576 },
    shutdownGrace: '1s',
    factories: [
      { name: 'payments', source, runs: { executor, concurrency: CONCURRENCY } },
      { name: 'waiting', source },
    ],
  };
  daemon = await startDaemonHere({ config });
  for (const [name, value] of Object.entries(SECRETS)) {
    expect((await daemon.api(`/secrets/${name}`, { method: 'PUT', body: { value, factories: null } })).status).toBe(
      201,
    );
  }
  await eventually(async () => (await daemon.api('/factories/payments')).body.applied_revision, 20_000);
  for (const { name, uid } of (await daemon.api('/factories/payments/webhooks')).body.data) uids.set(name, uid);
});

afterAll(async () => {
  await daemon?.end('SIGINT');
  repo?.remove();
});

describe('an operator', () => {
  it('sees that runs wait if no executor is configured', async () => {
    const conditions = async () => (await daemon.api('/factories/waiting')).body.conditions;
    await expect.poll(conditions).toContainEqual(expect.objectContaining({ type: 'NoExecutor', status: 'True' }));
  });

  it('finds a delivery ID full of shell and Markdown unchanged in the run, harmless in the prompt', async () => {
    const id = `$(touch pwned)\`id\`;'"--help # x`;
    const body = '{ "n": 1e400, "big": 12345678901234567890, "k":1, "k":2 }\n';
    const { status, delivery } = await deliver('named', body, { 'x-event': id });
    expect([status, delivery.delivery_id, delivery.delivery_id_source]).toEqual([202, id, 'header']);
    const run = await findRun(delivery.runs[0], ENDED);
    const { body: log } = await daemon.api(`/runs/${run.id}/log`);
    expect(log.startsWith(`${id}Look at it.`)).toBe(true);
    expect(log).toContain('- Delivery ID: `$(touch pwned)\\u{60}id\\u{60};\'"--help # x`\n');
    const folder = join(daemon.dataDir, 'runs', run.id, '1');
    expect(readdirSync(folder).sort()).toEqual(['event-payload.json', 'prompt.md', 'run.json']);
    const { body: input } = await daemon.api(`/runs/${run.id}/input`);
    expect(input.attachments).toEqual([
      { name: 'event-payload.json', size: Buffer.byteLength(body), media_type: 'application/json' },
    ]);
    const token = readFileSync(join(daemon.dataDir, 'admin-token'), 'utf8').trim();
    for (const path of [`/runs/${run.id}/attachments/event-payload.json`, `/deliveries/${delivery.id}/payload`]) {
      const headers = { authorization: `Bearer ${token}` };
      expect(await (await fetch(`${daemon.adminUrl}/api/v1${path}`, { headers })).text()).toBe(body);
    }
  });

  it('sees for each automation why it started or not, and the original of a duplicate', async () => {
    const first = await deliver('ci', '{"level":"info"}');
    const { body } = await daemon.api(`/deliveries/${first.delivery.id}/explain`);
    expect(body.decisions).toEqual([
      expect.objectContaining({ automation: 'act', outcome: 'started', run: first.delivery.runs[0] }),
      expect.objectContaining({ automation: 'fatal', outcome: 'filtered', path: 'level', actual: 'info', run: null }),
      expect.objectContaining({ automation: 'off', outcome: 'disabled', run: null }),
    ]);
    const second = await deliver('ci', '{"level":"info"}');
    expect(second.delivery).toMatchObject({
      label: 'Duplicate',
      duplicate_of: first.delivery.id,
      delivery_id_source: 'body_hash',
      runs: [],
    });
    const { body: webhook } = await daemon.api(`/factories/payments/webhooks/${uids.get('ci')}`);
    expect(webhook.identified_by).toBe('service header or body');
  });

  it('never has more concurrent runs than the configuration allows', { tags: 'full' }, async () => {
    const bodies = Array.from({ length: 50 }, (_, index) => JSON.stringify({ mode: 'count', index }));
    const answers = await Promise.all(bodies.map((body) => post('named', body, { 'x-event': body })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    const ofState = async (state: string, limit: number) =>
      (await daemon.api(`/factories/payments/runs?state=${state}&limit=${limit}`)).body.data;
    const isNone = async (state: string) => (await ofState(state, 1)).length === 0;
    await eventually(async () => (await isNone('queued')) && (await isNone('running')), 60_000);
    const runs = await ofState('succeeded', 200);
    const logs = await Promise.all(runs.map(({ id }: { id: string }) => daemon.api(`/runs/${id}/log`)));
    const counts = logs.map(({ body }) => body).filter((text) => /^\d+\n$/.test(text));
    expect(counts).toHaveLength(50);
    expect(Math.max(...counts.map(Number))).toBeLessThanOrEqual(CONCURRENCY);
  });

  it('replays a delivery, and retries its run', async () => {
    const { delivery } = await deliver('ci', '{"level":"debug"}');
    await findRun(delivery.runs[0], ['succeeded']);
    const replayed = await daemon.api(`/deliveries/${delivery.id}/replay`, { method: 'POST' });
    expect([replayed.status, replayed.body]).toEqual([
      201,
      expect.objectContaining({ replay_of: delivery.id, delivery_id: delivery.delivery_id, label: 'Accepted' }),
    ]);
    const [id] = replayed.body.runs;
    expect(id).not.toBe(delivery.runs[0]);
    expect(await findRun(id, ['succeeded'])).toMatchObject({ delivery: replayed.body.id, attempt: 1 });
    expect((await deliver('ci', '{"level":"debug"}')).delivery).toMatchObject({
      label: 'Duplicate',
      duplicate_of: delivery.id,
    });
    const once = (await daemon.api(`/runs/${id}/log`)).body;
    expect((await daemon.api(`/runs/${id}/retry`, { method: 'POST' })).status).toBe(200);
    expect(await findRun(id, ['succeeded'])).toMatchObject({ attempt: 2 });
    const twice: string = (await daemon.api(`/runs/${id}/log`)).body;
    expect(twice.startsWith(`${once}\n[dockbell: attempt 2, `)).toBe(true);
  });

  it('finds a delivery by its ID and its time, and sees it in the activity of the factory', async () => {
    const { delivery } = await deliver('named', '{"level":"odd","n":7}', { 'x-event': 'search me' });
    const found = async (query: string) =>
      (await daemon.api(`/factories/payments/deliveries?${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await found('delivery_id=search%20me')).toEqual([delivery.id]);
    expect(await found(`delivery_id=search%20me&to=${delivery.received_at}`)).toEqual([]);
    expect(await found(`delivery_id=search%20me&from=${delivery.received_at}&label=Accepted`)).toEqual([delivery.id]);
    expect((await found('limit=200')).length).toBeGreaterThan(3);
    const { body: activity } = await daemon.api('/factories/payments/activity');
    const arrived = activity.buckets.map((bucket: { deliveries: { Accepted: number } }) => bucket.deliveries.Accepted);
    expect(arrived.reduce((sum: number, count: number) => sum + count, 0)).toBeGreaterThan(3);
    expect(activity.webhooks.map((one: { webhook_uid: string }) => one.webhook_uid)).toContain(uids.get('named'));
  });

  it('sees the keys of payloads, and what an unsaved filter would have started', async () => {
    await deliver('named', '{"level":"odd","n":8}', { 'x-event': 'a backtest' });
    const { body } = await daemon.api(`/factories/payments/webhooks/${uids.get('named')}/payload-keys`);
    const level = body.keys.find((key: { text: string }) => key.text === 'level');
    expect(level).toMatchObject({ path: ['level'], types: ['string'] });
    const triggers = [{ provider: 'webhook', event: 'received', filter: { webhooks: ['named'], payload: { n: [8] } } }];
    const proposed = { automation: 'act', triggers };
    const backtest = await daemon.api('/factories/payments/backtests', { method: 'POST', body: proposed });
    expect(backtest.status).toBe(200);
    const [act] = backtest.body.automations;
    expect(act).toMatchObject({ automation: 'act', after: 1, gained_count: 0 });
    expect(act.lost_count).toBe(act.before - 1);
    expect(act.lost[0].message).toContain('n');
  });

  it('gets events of a delivery and of its run', async () => {
    const token = readFileSync(join(daemon.dataDir, 'admin-token'), 'utf8').trim();
    const away = new AbortController();
    const answer = await fetch(`${daemon.adminUrl}/api/v1/events`, {
      headers: { authorization: `Bearer ${token}` },
      signal: away.signal,
    });
    let text = '';
    const reading = (async () => {
      for await (const chunk of answer.body!) text += Buffer.from(chunk).toString('utf8');
    })().catch(() => {});
    await eventually(() => text.includes('event: ready'));
    const { delivery } = await deliver('ci', '{"told":true}');
    const readEvents = () =>
      [...text.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm)].map(([, name, data]) => [name, JSON.parse(data!)]);
    const isOver = () => readEvents().some(([, { id, state }]) => id === delivery.runs[0] && state === 'succeeded');
    await eventually(isOver, 20_000);
    const events = readEvents();
    expect(events.find(([name]) => name === 'delivery')![1]).toEqual(delivery);
    const states = events.flatMap(([name, { id, state }]) =>
      name === 'run' && id === delivery.runs[0] ? [state] : [],
    );
    expect(states).toEqual(['queued', 'running', 'succeeded']);
    away.abort();
    await reading;
  });

  it('cancels a run with all its processes', async () => {
    const { delivery } = await deliver('ci', '{"mode":"stay"}');
    const id = delivery.runs[0];
    await eventually(async () => (await daemon.api(`/runs/${id}/log`)).body === 'ready\n');
    expect((await daemon.api(`/runs/${id}/cancel`, { method: 'POST' })).status).toBe(202);
    expect(await findRun(id, ENDED)).toMatchObject({ state: 'cancelled', error: 'cancelled', exit_code: null });
    const marker = `DOCKBELL_RUN_ID=${id}`;
    const alive = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && readEnvironment(pid).includes(marker));
    expect(alive).toEqual([]);
    expect((await daemon.api(`/runs/${id}/cancel`, { method: 'POST' })).status).toBe(409);
  });

  it('still reads the deliveries of a webhook that was deleted', { tags: 'full' }, async () => {
    const { delivery } = await deliver('leaving', '{"last":true}');
    await apply({
      'webhooks/leaving.yaml': null,
      'automations/act/automation.md': declareAutomation('ci, named', 'secrets: [RUN_SECRET]\n'),
    });
    expect((await post('leaving', '{}')).status).toBe(404);
    const webhook = `/factories/payments/webhooks/${uids.get('leaving')}`;
    expect((await daemon.api(webhook)).body.deleted_at).not.toBeNull();
    expect((await daemon.api(`${webhook}/deliveries`)).body.data).toEqual([expect.objectContaining(delivery)]);
    expect((await daemon.api(`/deliveries/${delivery.id}/payload`)).body).toEqual({ last: true });
  });

  it('can delete a secret in use only by force, and the webhook keeps its pinned value', { tags: 'full' }, async () => {
    await daemon.api('/secrets/CI_SECRET', { method: 'PUT', body: { value: 'ci-secret-canary-0003' } });
    const { body } = await daemon.api('/factories/payments/webhooks');
    expect(body.data.map((webhook: { secret_state: string }) => webhook.secret_state)).toEqual([
      'outdated',
      'outdated',
    ]);
    const refused = await daemon.api('/secrets/CI_SECRET', { method: 'DELETE' });
    expect([refused.status, refused.body.code]).toEqual([409, 'secret_in_use']);
    expect((await daemon.api('/secrets/CI_SECRET?force=true', { method: 'DELETE' })).status).toBe(204);
    expect((await post('ci', '{"pinned":true}')).status).toBe(202);
  });

  it('finds the files of the oldest runs deleted if they used too much space', { tags: 'full' }, async () => {
    const filled: string[] = [];
    for (const index of [1, 2]) {
      const { delivery } = await deliver('ci', JSON.stringify({ mode: 'fill', index }));
      filled.push((await findRun(delivery.runs[0], ['succeeded'])).id);
    }
    expect(await daemon.end('SIGTERM')).toBe(0);
    const earlier = daemon.output();
    daemon = await startDaemonHere({ config, dataDir: daemon.dataDir });
    const folder = (run: string) => existsSync(join(daemon.dataDir, 'runs', run));
    await eventually(() => !folder(filled[0]!), 20_000);
    expect(folder(filled[1]!)).toBe(true);
    expect((await daemon.api(`/runs/${filled[0]}/log`)).body).toMatch(
      /^\[dockbell: .* removed .* retention\.runBytes\]\n$/,
    );
    await eventually(() => daemon.output().includes('oldest run files removed'));
    expect(earlier).not.toContain('canary');
  });

  it('finds no secret and no token of any request in the log', async () => {
    const token = readFileSync(join(daemon.dataDir, 'admin-token'), 'utf8').trim();
    const { delivery } = await deliver('ci', '{"mode":"secret"}');
    await findRun(delivery.runs[0], ['succeeded']);
    expect((await daemon.api(`/runs/${delivery.runs[0]}/log`)).body).toBe('it is [redacted]\n');
    for (const path of [`/factories/${token}/reconciliations?token=${token}`, `/runs/${token}/cancel`]) {
      expect((await daemon.api(path, { method: 'POST' })).status).toBe(404);
    }
    await eventually(() => daemon.output().includes('/api/v1/runs/:id/cancel'));
    expect(daemon.output()).not.toMatch(/canary|dbk_/);
  });
});

/** `''` for a process that has ended or belongs to another user. */
function readEnvironment(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}
