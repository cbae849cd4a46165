import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { createSigningKey, type SigningKey, signTip, writeAllowedSigners } from '../helpers/ssh-signing.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const automation = (prompt: string) => ({
  'automations/triage/automation.md': `---\ntriggers:\n  - provider: schedule\n    cron: "0 3 * * *"\n---\n${prompt}\n`,
});

describe('a factory with allowed signers', () => {
  let repo: TempGitRepo;
  let daemon: TestDaemon;
  let alice: SigningKey;
  let good: string;

  beforeAll(async () => {
    const folder = createTempDir('signers');
    repo = await createTempGitRepo();
    alice = createSigningKey(folder, 'alice');
    const allowedSigners = join(folder, 'allowed_signers');
    writeAllowedSigners(allowedSigners, [alice]);
    await repo.commit(automation('first'));
    good = await signTip(repo, alice);
    const source = { type: 'repository', url: repo.path, allowedSigners };
    daemon = await startDaemonHere({ config: { factories: [{ name: 'payments', source }] } });
    await eventually(async () => (await factory()).applied_revision === good);
  });
  afterAll(async () => {
    expect(await daemon?.end('SIGTERM')).toBe(0);
    repo?.remove();
  });

  const factory = async () => (await daemon.api('/factories/payments')).body;
  const condition = async (type: string) =>
    (await factory()).conditions.find((each: { type: string }) => each.type === type);

  it('keeps the last signed commit live, and names the commit and the reason', async () => {
    const unsigned = await repo.commit(automation('not signed'));
    await eventually(async () => (await condition('Reconciled')).reason === 'CommitUntrusted');
    expect(await factory()).toMatchObject({ applied_revision: good, attempted_revision: unsigned });
    const message = `Commit ${unsigned} has no SSH signature`;
    const status = await daemon.cli('status');
    expect([status.code, status.stdout.replaceAll(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(message)]);
    const why = await daemon.cli('why', unsigned);
    expect(why.stdout.replaceAll(/\s+/g, ' ')).toContain(`No allowed signer signed the commit. ${message}`);
    expect(why.stdout).not.toContain('retries automatically');
    await signTip(repo, alice);
    await eventually(async () => (await condition('Reconciled')).reason === 'Applied');
  });

  it('shows a force-push as a condition and in the story of the commit', { tags: ['full', 'continues'] }, async () => {
    const before = (await factory()).applied_revision;
    await repo.git(['update-ref', `refs/heads/${repo.branch}`, good]);
    const isRewritten = async () => (await factory()).applied_revision === good && condition('HistoryRewritten');
    const message = `the history of the branch was rewritten: it no longer contains ${before}`;
    expect(await eventually(isRewritten)).toMatchObject({ severity: 'warning', reason: 'ForcePushed', message });
    const status = await daemon.cli('status');
    expect([status.code, status.stdout]).toEqual([0, expect.stringContaining('HistoryRewritten')]);
    const why = await daemon.cli('why', good);
    expect(why.stdout.replaceAll(/\s+/g, ' ')).toContain('The history of the branch was rewritten: it no longer');
  });
});
