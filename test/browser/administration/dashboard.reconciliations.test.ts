import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt, NARROW } from '../../helpers/dashboard.ts';
import { createTempGitRepo, type TempGitRepo } from '../../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../../helpers/test-daemon.ts';

const PATH = '/factories/payments/reconciliations';

describeDashboard('the reconciliation pages', ({ signIn }) => {
  let daemon: TestDaemon;
  let repo: TempGitRepo;
  beforeAll(async () => {
    repo = await createTempGitRepo();
    await repo.commit({ 'webhooks/ci.yaml': 'secretName: CI_WEBHOOK_SECRET\n' });
    const source = { type: 'repository', url: repo.path };
    daemon = await startDaemonHere({ config: { factories: [{ name: 'payments', source }] } });
  });
  afterAll(async () => {
    await daemon?.end('SIGTERM');
    repo.remove();
  });

  it('names the missing secret of a failed reconciliation, and creates it', async () => {
    const page = await signIn(daemon, PATH);
    await page.getByRole('link', { name: 'A secret is missing' }).click();
    await page.getByRole('heading', { name: 'A secret is missing', level: 1 }).waitFor();
    await lookAt(page, 'reconciliation-failed');
    await page.getByRole('button', { name: 'Create CI_WEBHOOK_SECRET' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create secret' });
    await dialog.getByRole('textbox', { name: 'Value' }).fill('the-secret-of-the-team');
    await dialog.getByRole('button', { name: 'Create secret' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('A later reconciliation has finished').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Create CI_WEBHOOK_SECRET' }).count()).toBe(0);
    await page.getByRole('link', { name: 'View the most recent reconciliation' }).click();
    await page.getByRole('heading', { name: 'The revision was applied', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Reconciliations' }).first().click();
    await page.getByRole('link', { name: 'The revision was applied', exact: true }).waitFor();
    await page.getByText('1 created').waitFor();
  });

  it('shows the changes of an apply by key', { tags: ['full', 'continues'] }, async () => {
    await repo.commit({ 'webhooks/ci.yaml': 'secretName: CI_WEBHOOK_SECRET\ndescription: Builds\n' });
    const page = await signIn(daemon, PATH);
    await page.getByRole('button', { name: 'Reconcile now' }).click();
    const row = page.getByRole('row').filter({ hasText: '1 updated' });
    await row.waitFor();
    // The repository is also polled, so an unchanged reconciliation may be above.
    await row.getByRole('link', { name: 'The revision was applied', exact: true }).click();
    await expect.poll(() => page.getByText('A later reconciliation').count()).toBe(0);
    await page.getByText('is live').waitFor();
    const changes = page.getByRole('region', { name: 'Changes to ci' });
    await changes.getByText('+ description: Builds').waitFor();
    await page.getByText('by Test,').waitFor();
    await lookAt(page, 'reconciliation-applied');
    // The page of the earlier apply must not show it as live.
    await page.getByRole('link', { name: 'Reconciliations' }).first().click();
    const before = page.getByRole('row').filter({ hasText: '1 created' });
    await before.getByRole('link', { name: 'The revision was applied', exact: true }).click();
    await page.getByText('Another revision is live now.').waitFor();
    await page.getByText('A later reconciliation has finished').waitFor();
    await expect.poll(() => page.getByText(/[0-9a-f]{8} is live/).count()).toBe(0);
  });

  it('opens findings with file, line and rule after "Reconcile now"', { tags: ['full', 'continues'] }, async () => {
    await repo.commit({ 'webhooks/bad.yaml': 'secretName: CI_WEBHOOK_SECRET\nenabeld: true\n<script>: "\\u202e"\n' });
    const page = await signIn(daemon, PATH);
    await page.getByRole('button', { name: 'Reconcile now' }).click();
    await page.getByRole('heading', { name: 'The definition has errors' }).waitFor();
    await page.getByText('webhooks/bad.yaml:2:1').waitFor();
    await lookAt(page, 'reconciliation-invalid');
    await page.getByRole('button', { name: 'webhook/unknown-key' }).first().click();
    await page
      .getByRole('dialog', { name: 'webhook/unknown-key' })
      .getByText('a misspelt key would be ignored silently')
      .waitFor();
    await lookAt(page, 'rule');
    await page.keyboard.press('Escape');
    await page.setViewportSize(NARROW);
    await lookAt(page, 'reconciliation-invalid-narrow');
    const { body } = await daemon.api('/factories/payments');
    expect(body.counts.webhooks).toBe(1);
  });
});
