import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const DELETION = 'Delete the webhook of the old CI';

describe('who changed a factory of a repository', () => {
  let repo: TempGitRepo;
  let daemon: TestDaemon;
  let deleted: string;
  const cli = async (...args: string[]) => (await daemon.cli(...args)).stdout;

  beforeAll(async () => {
    repo = await createTempGitRepo();
    daemon = await startDaemonHere({
      config: { factories: [{ name: 'web', source: { type: 'repository', url: repo.path } }] },
    });
    await daemon.cli('secret', 'create', 'CI', '--value', 'a-secret-of-the-whole-team');
    const apply = async (files: Record<string, string | null>, subject: string) => {
      const revision = await repo.commit(files, subject);
      await daemon.cli('reconcile', '--wait');
      expect((await daemon.cli('status', '--wait', revision, '--timeout', '20s')).code).toBe(0);
      return revision;
    };
    await apply({ 'webhooks/ci.yaml': 'secretName: CI\n', 'webhooks/old.yaml': 'secretName: CI\n' }, 'Add webhooks');
    deleted = await apply({ 'webhooks/old.yaml': null }, DELETION);
    await apply({ 'webhooks/other.yaml': 'secretName: CI\n' }, 'Add another webhook');
  });
  afterAll(async () => {
    await daemon.end('SIGTERM');
    repo.remove();
  });

  it('names the commit that last changed a webhook', async () => {
    expect(await cli('webhook', 'show', 'ci')).toMatch(/Commit: +Add webhooks \(Test\)/);
  });

  it('has each apply in the audit log, with the commit, its author and the changes', async () => {
    const { body } = await daemon.api('/audit?actor=daemon');
    expect(body.data.map(({ changes }: { changes: object }) => changes)).toEqual([
      expect.objectContaining({ webhooks: ['+other'], secrets: ['other: CI version 1'] }),
      { revision: deleted, subject: DELETION, author: 'Test', webhooks: ['-old'] },
      expect.objectContaining({ webhooks: ['+ci', '+old'] }),
    ]);
    expect(body.data[0]).toMatchObject({
      actor: { kind: 'daemon', id: 'daemon', name: 'reconciler' },
      action: 'Apply definition',
      object: expect.stringMatching(/^factories\/web\/reconciliations\/rec_/),
      outcome: 'done',
    });
    const [old] = (await daemon.api('/factories/web/webhooks?deleted=true')).body.data;
    const ofWebhook = await cli('audit', 'list', '--object', `factories/web/webhooks/${old.uid}`);
    expect(ofWebhook).toContain(`${deleted.slice(0, 12)} "${DELETION}" (Test); webhooks: -old`);
    expect(ofWebhook).not.toContain('other');
  });

  it('has each new version of a secret in the audit log when it is in use', { tags: 'full' }, async () => {
    await daemon.cli('secret', 'update', 'CI', '--value', 'another-secret-of-the-team');
    const revision = await repo.commit({ 'webhooks/ci.yaml': 'secretName: CI\ndescription: New\n' }, 'Rotate');
    await daemon.cli('reconcile', '--wait');
    expect((await daemon.cli('status', '--wait', revision, '--timeout', '20s')).code).toBe(0);
    const { body } = await daemon.api('/audit?object=secrets/CI&limit=1');
    expect(body.data).toMatchObject([
      {
        action: 'Apply definition',
        changes: {
          subject: 'Rotate',
          webhooks: ['~ci', '~other'],
          secrets: ['ci: CI version 2 instead of 1', 'other: CI version 2 instead of 1'],
        },
      },
    ]);
  });

  it('names the commit that deleted a webhook, by the name of the webhook', { tags: 'full' }, async () => {
    const shown = await cli('webhook', 'show', 'old');
    expect(shown).toMatch(/State: +deleted /);
    expect(shown).toMatch(new RegExp(`Deleted by: +${DELETION} \\(Test\\)`));
    expect(shown).toContain(deleted);
    expect(await cli('webhook', 'list', '--deleted')).toMatch(new RegExp(`old .* Test +${DELETION}`));
    const { body } = await daemon.api('/factories/web/webhooks?deleted=true');
    expect(body.data).toMatchObject([
      { name: 'old', revision: deleted, commit: { subject: DELETION, author: 'Test' } },
    ]);
    const sending = await daemon.cli('webhook', 'capture', 'old', '--for', '10m');
    expect(sending.stderr).toContain("It was deleted: see 'dockbell webhook show old'");
  });
});
