import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt, NARROW } from '../../helpers/dashboard.ts';
import { createTempGitRepo, type TempGitRepo } from '../../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from '../../helpers/test-daemon.ts';

describeDashboard('the page of secrets', ({ signIn }) => {
  let daemon: TestDaemon;
  let repo: TempGitRepo;
  beforeAll(async () => {
    repo = await createTempGitRepo();
    await repo.commit({
      'webhooks/ci.yaml': 'secretName: CI_WEBHOOK_SECRET\n',
      'automations/triage/automation.md':
        '---\ntriggers:\n  - provider: webhook\n    event: received\n    filter: { webhooks: [ci] }\nsecrets: [REVIEW_TOKEN]\n---\nLook.\n',
    });
    const source = { type: 'repository', url: repo.path };
    daemon = await startTestDaemon({ config: { factories: [{ name: 'payments', source }] } });
  });
  afterAll(async () => {
    await daemon?.end('SIGTERM');
    repo.remove();
  });

  const rowOf = (page: Awaited<ReturnType<typeof signIn>>, name: string) =>
    page.getByRole('table', { name: 'Secrets' }).getByRole('row').filter({ hasText: name });

  it('explains how to create the first secret, and shows which webhook uses it', async () => {
    const page = await signIn(daemon, '/secrets');
    await page.getByRole('heading', { name: 'No secrets yet' }).waitFor();
    await lookAt(page, 'secrets-empty');
    await page.getByRole('button', { name: 'Create secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create secret' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('CI_WEBHOOK_SECRET');
    const value = dialog.getByRole('textbox', { name: 'Value' });
    await value.fill('the-secret-of-the-team');
    await expect.poll(() => value.getAttribute('type')).toBe('password');
    await lookAt(page, 'secrets-create');
    await dialog.getByRole('button', { name: 'Create secret' }).click();
    await dialog.getByText('is stored as version 1').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    expect((await daemon.cli('reconcile', '--factory', 'payments', '--wait')).code).toBe(0);
    await page.reload();
    await rowOf(page, 'CI_WEBHOOK_SECRET').getByText('payments/ci').waitFor();
    await rowOf(page, 'CI_WEBHOOK_SECRET').getByText('uses version 1').waitFor();
  });

  it('shows a generated value once', async () => {
    const page = await signIn(daemon, '/secrets');
    await page.getByRole('button', { name: 'Create secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create secret' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('REVIEW_TOKEN');
    await dialog.getByText('Generate a value').click();
    await dialog.getByRole('button', { name: 'Create secret' }).click();
    const shown = (await dialog.getByRole('region', { name: 'secret' }).textContent())!;
    expect(shown).toMatch(/^dbs_[\w-]{43}$/);
    await lookAt(page, 'secrets-generated');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await rowOf(page, 'REVIEW_TOKEN').getByText('payments/triage').waitFor();
    await page.reload();
    await rowOf(page, 'REVIEW_TOKEN').waitFor();
    await expect.poll(() => page.content()).not.toContain(shown);
  });

  it('shows after an update which webhook uses the older version, and when it switches', async () => {
    const page = await signIn(daemon, '/secrets');
    await page.getByRole('button', { name: 'Update CI_WEBHOOK_SECRET' }).click();
    const dialog = page.getByRole('dialog', { name: 'Update CI_WEBHOOK_SECRET' });
    await dialog.getByText('1 webhook still uses version 1. Senders must keep using the old value').waitFor();
    await dialog.getByRole('textbox', { name: 'Value' }).fill('a-new-secret-of-the-team');
    await dialog.getByRole('button', { name: 'Update secret' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('1 webhook still uses an older version').waitFor();
    await rowOf(page, 'CI_WEBHOOK_SECRET').getByText('Switches to version 2 with the next applied commit').waitFor();
    await lookAt(page, 'secrets');
    await page.setViewportSize(NARROW);
    await lookAt(page, 'secrets-narrow');
  });

  it('explains the effects of deleting, and rejects it while the secret is in use', async () => {
    const page = await signIn(daemon, '/secrets');
    await page.getByRole('button', { name: 'Delete CI_WEBHOOK_SECRET' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete CI_WEBHOOK_SECRET' });
    await dialog.getByText('payments/ci keeps using the current value').waitFor();
    await dialog.getByRole('button', { name: 'Delete secret' }).click();
    await dialog.getByRole('alert').getByText('Secret in use').waitFor();
    await lookAt(page, 'secrets-delete-refused');
    await dialog.getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Delete secret' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => rowOf(page, 'CI_WEBHOOK_SECRET').count()).toBe(0);
  });
});
