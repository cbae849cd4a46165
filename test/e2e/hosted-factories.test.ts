import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

let daemon: TestDaemon;
let repo: TempGitRepo;

beforeAll(async () => {
  repo = await createTempGitRepo();
  await repo.commit({ 'webhooks/theirs.yaml': 'secretName: THEIRS\n' });
  const types = { ours: { type: 'managed' }, rows: { type: 'live' }, theirs: { type: 'repository', url: repo.path } };
  const factories = Object.entries(types).map(([name, source]) => ({ name, source }));
  daemon = await startDaemonHere({ config: { factories } });
  const scope = ['--factory', 'theirs', '--factory', 'rows'];
  expect((await daemon.cli('secret', 'create', 'THEIRS', ...scope, '--value', 'the-secret-of-the-team')).code).toBe(0);
  expect((await daemon.cli('reconcile', '--factory', 'theirs', '--wait')).code).toBe(0);
});

afterAll(async () => {
  expect(await daemon.end('SIGTERM')).toBe(0);
  repo.remove();
});

interface Shown {
  uid: string;
  ingress_url: string;
  secret: string;
}

async function run(factory: string, ...args: string[]): Promise<Shown> {
  const { code, stdout, stderr } = await daemon.cli(...args, '--factory', factory, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

async function send(url: string, secret: string | null): Promise<number> {
  const headers: Record<string, string> = secret === null ? {} : { authorization: `Bearer ${secret}` };
  return (await fetch(url, { method: 'POST', headers, body: `{"n":${Math.random()}}` })).status;
}

describe.each(['ours', 'rows'])('the factory %s, on the command line', { timeout: 120_000 }, (factory) => {
  it('accepts deliveries of a webhook from its creation to its deletion, except while it is disabled', async () => {
    const { ingress_url: url, secret } = await run(factory, 'webhook', 'create', 'ci');
    expect([await send(url, secret), await send(url, 'another'), await send(url, null)]).toEqual([202, 401, 401]);
    await run(factory, 'webhook', 'disable', 'ci');
    expect(await send(url, secret)).toBe(404);
    await run(factory, 'webhook', 'enable', 'ci');
    expect(await send(url, secret)).toBe(202);
    await run(factory, 'webhook', 'delete', 'ci');
    expect(await send(url, secret)).toBe(404);
  });

  it('shows a URL that is a credential once, and then with a placeholder', { tags: 'full' }, async () => {
    const { ingress_url: url, secret } = await run(factory, 'webhook', 'create', 'up', '--auth-mode', 'url_token');
    expect(url.endsWith(`/${secret}`)).toBe(true);
    expect(await send(url, null)).toBe(202);
    const shown = await run(factory, 'webhook', 'show', 'up');
    expect(shown.ingress_url.endsWith('/{token}')).toBe(true);
    expect(JSON.stringify(shown)).not.toContain(secret);
    expect(daemon.output()).not.toContain(secret);
  });

  it('starts runs of a created automation', async () => {
    const { ingress_url: url, secret } = await run(factory, 'webhook', 'create', 'issues');
    const trigger = { provider: 'webhook', event: 'received', filter: { webhooks: ['issues'] } };
    const body = { name: 'triage', triggers: [trigger], prompt: 'Look at it.' };
    expect((await daemon.api(`/factories/${factory}/automations`, { method: 'POST', body })).status).toBe(201);
    expect(await send(url, secret)).toBe(202);
    const { body: runs } = await daemon.api(`/factories/${factory}/runs`);
    expect(runs.data).toMatchObject([{ automation: 'triage', state: 'queued' }]);
  });
});

it.each(['ours', 'rows'])(
  'the factory %s follows the options about bodies and identities of a new webhook',
  { tags: 'full' },
  async (factory) => {
    const options = ['--body-format', 'form', '--delivery-id-path', 'event.id'];
    const form = await run(factory, 'webhook', 'create', 'forms', ...options);
    const post = async ({ ingress_url: url, secret }: Shown, type: string, body: string) => {
      const headers = { authorization: `Bearer ${secret}`, 'content-type': type };
      const answer = await fetch(url, { method: 'POST', headers, body });
      return [answer.status, ((await answer.json()) as { delivery_id?: string }).delivery_id];
    };
    const payload = `payload=${encodeURIComponent('{"event":{"id":"evt_1"},"n":1}')}`;
    const FORM = 'application/x-www-form-urlencoded';
    expect(await post(form, FORM, payload)).toEqual([202, 'evt_1']);
    expect((await post(form, 'application/json', '{"event":{"id":"evt_2"}}'))[0]).toBe(400);
    const plain = await run(factory, 'webhook', 'create', 'ticks', '--no-deduplicate');
    const ids = [await post(plain, 'application/json', '{}'), await post(plain, 'application/json', '{}')];
    expect(ids.map(([status]) => status)).toEqual([202, 202]);
    const shown = await Promise.all(['forms', 'ticks'].map((name) => run(factory, 'webhook', 'show', name)));
    expect(shown).toMatchObject([
      { body_format: 'form', delivery_id_path: 'event.id', deduplicate: true },
      { body_format: 'json', delivery_id_path: null, deduplicate: false },
    ]);
    const labels = async ({ uid }: Shown) => {
      const { data } = (await daemon.api(`/factories/${factory}/webhooks/${uid}/deliveries`)).body;
      return data.map(({ label }: { label: string }) => label);
    };
    expect(await labels(plain)).toEqual(['Accepted', 'Accepted']);
    expect((await post(form, FORM, payload))[0]).toBe(202);
    expect((await labels(form)).slice(0, 1)).toEqual(['Duplicate']);
    for (const wrong of [
      ['--body-format', 'xml'],
      [...options, '--delivery-id-header', 'X-Id'],
    ]) {
      const { code, stderr } = await daemon.cli('webhook', 'create', 'wrong', '--factory', factory, ...wrong);
      expect([code === 0, stderr]).toEqual([false, expect.stringMatching(/json, form|delivery_?id/i)]);
    }
  },
);

it('a live factory renames a webhook and rotates its secret', { tags: 'full' }, async () => {
  const before = await run('rows', 'webhook', 'create', 'old-name');
  const renamed = await run('rows', 'webhook', 'rename', 'old-name', 'new-name');
  expect([renamed.uid, await send(before.ingress_url, before.secret)]).toEqual([before.uid, 202]);
  const after = await run('rows', 'webhook', 'rotate', 'new-name');
  expect([await send(before.ingress_url, before.secret), await send(after.ingress_url, after.secret)]).toEqual([
    401, 202,
  ]);
});

it('a managed factory rotates with an update of the team secret, which takes effect with the next change', {
  tags: 'full',
}, async () => {
  const { ingress_url: url, secret } = await run('ours', 'webhook', 'create', 'rotated');
  const refused = await daemon.cli('webhook', 'rotate', 'rotated', '--factory', 'ours');
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('dockbell secret update ROTATED_WEBHOOK_SECRET'),
  ]);
  await daemon.cli('secret', 'update', 'ROTATED_WEBHOOK_SECRET', '--value', 'a-new-secret-of-the-team');
  expect(await send(url, secret)).toBe(202);
  await run('ours', 'webhook', 'disable', 'rotated');
  await run('ours', 'webhook', 'enable', 'rotated');
  expect([await send(url, secret), await send(url, 'a-new-secret-of-the-team')]).toEqual([401, 202]);
});

it('a custom sender and a verify token can be configured on the command line', { tags: 'full' }, async () => {
  const block = { header: 'X-Signature', label: 'sha512', algorithm: 'hmac-sha512' };
  const signed = ['--auth-mode', 'signature', '--secret-name', 'THEIRS'];
  const custom = ['--scheme', 'custom', '--signature', JSON.stringify(block)];
  const { ingress_url: url } = await run('rows', 'webhook', 'create', 'orders', ...signed, ...custom);
  const digest = createHmac('sha512', 'the-secret-of-the-team').update('{"n":1}').digest('hex');
  const post = (signature: string) =>
    fetch(url, { method: 'POST', headers: { 'x-signature': signature }, body: '{"n":1}' });
  expect((await post(digest)).status).toBe(401);
  expect((await post(`sha512=${digest}`)).status).toBe(202);

  const meta = ['--scheme', 'meta', '--verify-token-secret-name', 'THEIRS'];
  const { ingress_url: metaUrl } = await run('rows', 'webhook', 'create', 'pages', ...signed, ...meta);
  const query = 'hub.mode=subscribe&hub.challenge=42&hub.verify_token=the-secret-of-the-team';
  expect(await (await fetch(`${metaUrl}?${query}`)).text()).toBe('42');
});

it('a managed factory reverts to an earlier revision, including the URLs of senders', async () => {
  const { ingress_url: url, secret } = await run('ours', 'webhook', 'create', 'back');
  await run('ours', 'webhook', 'delete', 'back');
  const { body: history } = await daemon.api('/factories/ours/history?limit=2');
  expect(history.data.map(({ message }: { message: string }) => message)).toEqual([
    'Delete the webhook back',
    'Create the webhook back',
  ]);
  const body = { revision: history.data[1].revision };
  expect((await daemon.api('/factories/ours/reverts', { method: 'POST', body })).status).toBe(200);
  expect(await send(url, secret)).toBe(202);
});

it('a repository factory reports the file to edit', { tags: 'full' }, async () => {
  for (const args of [
    ['create', 'x'],
    ['disable', 'theirs'],
    ['rename', 'theirs', 'x'],
    ['delete', 'theirs'],
  ]) {
    const { code, stderr } = await daemon.cli('webhook', ...args, '--factory', 'theirs');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/webhooks\/(theirs|<name>)\.yaml/)]);
  }
});
