import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const OLD = 'the-old-secret-of-the-team';
const NEW = 'the-new-secret-of-the-team';

describe('rotation of a secret, on the command line', () => {
  let repo: TempGitRepo;
  let daemon: TestDaemon;
  let url: string;

  const post = async (secret: string) => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    return (await fetch(url, { method: 'POST', headers, body: `{"n":${Math.random()}}` })).status;
  };
  const waitFor = (revision: string) => daemon.cli('status', '--wait', revision, '--timeout', '20s');

  beforeAll(async () => {
    repo = await createTempGitRepo();
    const revision = await repo.commit({ 'webhooks/ci.yaml': 'secretName: CI\n' });
    daemon = await startDaemonHere({
      config: { factories: [{ name: 'payments', source: { type: 'repository', url: repo.path } }] },
    });
    expect((await daemon.cli('secret', 'create', '--team', '--value', OLD, 'CI')).code).toBe(0);
    expect((await waitFor(revision)).code).toBe(0);
    const { body } = await daemon.api('/factories/payments/webhooks');
    url = `${daemon.ingressUrl}/webhooks/w/${body.data[0].uid}`;
  });

  afterAll(async () => {
    expect(await daemon.end('SIGTERM')).toBe(0);
    repo.remove();
  });

  it('the old value works until the next commit, and the webhook is shown as outdated', async () => {
    expect((await daemon.cli('secret', 'update', 'CI', '--value', NEW)).code).toBe(0);
    expect((await daemon.cli('reconcile', '--wait')).code).toBe(0);
    expect([await post(OLD), await post(NEW)]).toEqual([202, 401]);
    const { body } = await daemon.api('/factories/payments/webhooks');
    expect(body.data[0].secret_state).toBe('outdated');
  });

  it('after the next commit, although it changes no file, only the new value works', async () => {
    expect((await waitFor(await repo.commit({}, 'rotate'))).code).toBe(0);
    expect([await post(OLD), await post(NEW)]).toEqual([401, 202]);
    const { body } = await daemon.api('/factories/payments/webhooks');
    expect(body.data[0].secret_state).toBe('current');
  });

  it('a rejection says that the sender uses the old version, and who replaced it', async () => {
    expect(await post(OLD)).toBe(401);
    const history = /version 1 of CI, replaced 20\S+Z by admin-token; the webhook checks version 2/;
    const shown = await daemon.cli('delivery', 'show', 'last');
    expect(shown.stdout).toContain('The sender uses an older version of the secret.');
    expect(shown.stdout).toMatch(history);
    const diagnosed = await daemon.cli('diagnose', 'last');
    expect(diagnosed).toMatchObject({ code: 0, stdout: expect.stringMatching(history) });
    expect(diagnosed.stdout).toContain('give the sender the new value');
  });

  it('a secret that a webhook uses cannot be deleted without force', async () => {
    const refused = await daemon.cli('secret', 'delete', 'CI');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('payments/ci');
    expect(await post(NEW)).toBe(202);
  });

  it('a secret that is deleted by force works until the next apply, which fails and reports what to do', {
    tags: ['full', 'continues'],
  }, async () => {
    expect((await daemon.cli('secret', 'delete', 'CI', '--force')).code).toBe(0);
    expect(await post(NEW)).toBe(202);
    const { body: webhooks } = await daemon.api('/factories/payments/webhooks');
    expect(webhooks.data[0].secret_state).toBe('missing');
    const revision = await repo.commit({ 'webhooks/other.yaml': 'secretName: CI\nenabled: false\n' });
    const waited = await waitFor(revision);
    expect(waited.code).toBe(1);
    expect(waited.stdout + waited.stderr).toContain('dockbell secret create CI');
    expect(await post(NEW)).toBe(202);
    const { body: factory } = await daemon.api('/factories/payments');
    expect(factory.applied_revision).not.toBe(revision);
  });

  it('a secret that is created again is used immediately, as a new version', { tags: 'full' }, async () => {
    expect((await daemon.cli('secret', 'create', 'CI', '--value', OLD)).code).toBe(0);
    expect((await waitFor(await repo.git(['rev-parse', 'HEAD']))).code).toBe(0);
    expect([await post(NEW), await post(OLD)]).toEqual([401, 202]);
  });
});
