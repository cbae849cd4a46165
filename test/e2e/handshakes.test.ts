import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

const HOOK_SECRET = 'b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81';
const APP_SECRET = 'dock-Lm3_gangway:beacon~17';
const FILES = {
  'webhooks/asana.yaml': 'authMode: signature\nsignatureScheme: asana\nsecretName: ASANA\n',
  'webhooks/meta.yaml':
    'authMode: signature\nsignatureScheme: meta\nsecretName: META\nverifyTokenSecretName: VERIFY_TOKEN\n',
};

describe('handshakes of a daemon', () => {
  let repo: TempGitRepo;
  let daemon: TestDaemon;
  const config = () => ({ factories: [{ name: 'payments', source: { type: 'repository', url: repo.path } }] });
  const urls: Record<string, string> = {};

  const postAsana = async (headers: Record<string, string>, body = '{}') =>
    fetch(urls.asana!, { method: 'POST', headers, body });
  const deliver = async (key: string, body: string) =>
    (await postAsana({ 'x-hook-signature': createHmac('sha256', key).update(body).digest('hex') }, body)).status;

  async function findUrls(): Promise<void> {
    const { body } = await daemon.api('/factories/payments/webhooks');
    for (const { name, uid } of body.data) urls[name] = `${daemon.ingressUrl}/webhooks/w/${uid}`;
  }

  beforeAll(async () => {
    repo = await createTempGitRepo();
    const revision = await repo.commit(FILES);
    daemon = await startTestDaemon({ config: config() });
    for (const [name, value] of [
      ['ASANA', 'awaiting-x-hook-secret'],
      ['META', APP_SECRET],
      ['VERIFY_TOKEN', 'team-token'],
    ]) {
      expect((await daemon.cli('secret', 'create', name!, '--value', value!)).code).toBe(0);
    }
    expect((await daemon.cli('status', '--wait', revision, '--timeout', '20s')).code).toBe(0);
    await findUrls();
  });

  afterAll(async () => {
    expect(await daemon.end('SIGTERM')).toBe(0);
    repo.remove();
  });

  it('Asana supplies its secret, with which it signs from then on', async () => {
    expect(await deliver('awaiting-x-hook-secret', '{"events":[0]}')).toBe(401);
    const answer = await postAsana({ 'x-hook-secret': HOOK_SECRET });
    expect([answer.status, answer.headers.get('x-hook-secret')]).toEqual([200, HOOK_SECRET]);
    expect(await deliver(HOOK_SECRET, '{"events":[1]}')).toBe(202);
    expect((await postAsana({ 'x-hook-secret': 'c'.repeat(64) })).status).toBe(401);
    const { body } = await daemon.api('/secrets');
    expect(body.data.find((secret: { name: string }) => secret.name === 'ASANA')).toMatchObject({ version: 2 });
  });

  it('Meta verifies the URL with the verify token of the team', async () => {
    const tryWith = (token: string) =>
      fetch(`${urls.meta}?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`);
    const answer = await tryWith('team-token');
    expect([answer.status, await answer.text()]).toEqual([200, '1158201444']);
    expect((await tryWith('guess')).status).toBe(405);
  });

  it('are shown by the command line, without their secrets', async () => {
    await eventually(async () => (await daemon.cli('webhook', 'show', 'meta')).stdout.includes('refused'));
    const { stdout } = await daemon.cli('webhook', 'show', 'meta');
    expect(stdout).toContain('Most recent handshakes:');
    expect(stdout).toMatch(/meta hub\.challenge +answered +127\.0\.0\.1/);
    expect((await daemon.cli('webhook', 'show', 'asana')).stdout).toMatch(/asana X-Hook-Secret +adopted/);
    expect(daemon.output()).not.toContain(HOOK_SECRET);
    expect(daemon.output()).not.toContain('team-token');
  });

  it('keep their secrets after a restart', { tags: ['full', 'continues'] }, async () => {
    const { dataDir } = daemon;
    await daemon.end('SIGKILL');
    daemon = await startTestDaemon({ config: config(), dataDir });
    await findUrls();
    expect(await deliver(HOOK_SECRET, '{"events":[2]}')).toBe(202);
  });
});
