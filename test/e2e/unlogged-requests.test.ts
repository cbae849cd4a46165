import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const SECRET = 'a-secret-of-the-whole-team';
const FILES = {
  'webhooks/ci.yaml': 'secretName: CI\n',
  'webhooks/off.yaml': 'secretName: CI\nenabled: false\n',
  'webhooks/old.yaml': 'secretName: CI\n',
};
const LIMIT = 3;

describe('requests without an entry in the delivery log', () => {
  const dataDir = createTempDir('unlogged-requests');
  let repo: TempGitRepo;
  let daemon: TestDaemon;
  let uids: Record<string, string>;
  /** The delivery ID of the last request. */
  let lastId: string;
  let limitedId: string;

  const start = (name: string) =>
    startDaemonHere({
      dataDir,
      config: {
        limits: { deliveriesPerMinute: LIMIT },
        factories: [{ name, source: { type: 'repository', url: repo.path } }],
      },
    });
  const send = async (name: string, method = 'POST') => {
    lastId = crypto.randomUUID();
    const headers = { authorization: `Bearer ${SECRET}`, 'x-service-delivery-id': lastId };
    const url = `${daemon.ingressUrl}/webhooks/w/${uids[name]}`;
    return (await fetch(url, method === 'POST' ? { method, headers, body: '{}' } : { method, headers })).status;
  };
  const show = async (name: string): Promise<Record<string, { last_24_hours: number }>> => {
    const { stdout } = await daemon.cli('webhook', 'show', uids[name]!, '--factory', 'web', '--json');
    const requests: { reason: string; last_24_hours: number }[] = JSON.parse(stdout).unlogged_requests;
    return Object.fromEntries(requests.map((counted) => [counted.reason, counted]));
  };

  beforeAll(async () => {
    repo = await createTempGitRepo();
    const first = await repo.commit(FILES);
    daemon = await start('web');
    await daemon.cli('secret', 'create', 'CI', '--value', SECRET);
    expect((await daemon.cli('status', '--wait', first, '--timeout', '20s')).code).toBe(0);
    const { body } = await daemon.api('/factories/web/webhooks');
    uids = Object.fromEntries(body.data.map(({ name, uid }: { name: string; uid: string }) => [name, uid]));
    const second = await repo.commit({ 'webhooks/old.yaml': null });
    expect((await daemon.cli('reconcile', '--wait')).code).toBe(0);
    expect((await daemon.cli('status', '--wait', second, '--timeout', '20s')).code).toBe(0);
  });
  afterAll(async () => {
    await daemon.end('SIGTERM');
    repo.remove();
  });

  it('are counted by webhook and reason, and shown immediately', { tags: 'full' }, async () => {
    const statuses: number[] = [];
    for (let n = 0; n < LIMIT + 2; n++) statuses.push(await send('ci'));
    limitedId = lastId;
    expect(statuses).toEqual([202, 202, 202, 429, 429]);
    expect([await send('ci', 'PUT'), await send('off'), await send('old')]).toEqual([405, 404, 404]);
    expect(await show('ci')).toMatchObject({
      delivery_rate: { status: 429, last_hour: 2, last_24_hours: 2, last_31_days: 2 },
      method_not_allowed: { status: 405, last_24_hours: 1 },
    });
    expect(Object.keys(await show('off'))).toEqual(['disabled']);
    expect(Object.keys(await show('old'))).toEqual(['deleted']);
    const text = (await daemon.cli('webhook', 'show', 'ci')).stdout;
    expect(text).toContain('Requests without an entry in the delivery log:');
    expect(text).toMatch(
      /delivery_rate +429 +2 +2 +(just now|\d+s ago) +More deliveries arrived than the webhook accepts/,
    );
    const token = JSON.parse((await daemon.cli('token', 'create', 'm', '--role', 'viewer', '--json')).stdout).token;
    const metrics = await (
      await fetch(`${daemon.adminUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    ).text();
    expect(metrics).toContain('dockbell_requests_refused_total{factory="web",webhook="ci",reason="delivery_rate"} 2');
    expect(metrics).toContain('dockbell_requests_refused_total{factory="web",webhook="old",reason="deleted"} 1');
  });

  it('survive a restart, also those of the last seconds, and a factory that the configuration does not name', {
    tags: 'full',
  }, async () => {
    expect(await send('off')).toBe(404);
    await daemon.end('SIGTERM');
    daemon = await start('shop');
    expect(await send('ci')).toBe(404);
    expect((await show('off')).disabled?.last_24_hours).toBe(2);
    // The stop wrote the entry of the current minute.
    const list = (await daemon.cli('delivery', 'list', '--factory', 'web')).stdout;
    expect(list).toMatch(
      // A minute can end between the two requests.
      /429( ×2)? .* delivery_rate: \d requests? (was|were) rate limited between \d\d:\d\d and \d\d:\d\d UTC, from 127\.0\.0\.1\./,
    );
    const found = (await daemon.cli('delivery', 'show', limitedId)).stdout;
    expect(found).toMatch(/Label: +429( ×2)?\nReason: +delivery_rate: \d requests? (was|were) rate limited/);
    expect(await show('ci')).toMatchObject({
      not_configured: { last_24_hours: 1 },
      delivery_rate: { last_24_hours: 2 },
    });
  });
});
