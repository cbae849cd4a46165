import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt, NARROW } from '../../helpers/dashboard.ts';
import { createTempGitRepo, type TempGitRepo } from '../../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../../helpers/test-daemon.ts';

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
    const factories = [
      { name: 'payments', source },
      { name: 'operations', source: { type: 'live' } },
    ];
    daemon = await startDaemonHere({ config: { factories } });
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
    const create = dialog.getByRole('button', { name: 'Create secret' });
    await expect.poll(() => create.isDisabled()).toBe(true);
    await dialog.getByRole('combobox', { name: 'Factories' }).click();
    await page.getByRole('option', { name: 'payments' }).click();
    await value.click();
    await lookAt(page, 'secrets-create');
    await create.click();
    await dialog.getByText('is stored as version 1').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    expect((await daemon.cli('reconcile', '--factory', 'payments', '--wait')).code).toBe(0);
    await page.reload();
    await rowOf(page, 'CI_WEBHOOK_SECRET').getByText('payments/ci').waitFor();
    await rowOf(page, 'CI_WEBHOOK_SECRET').getByText('uses version 1').waitFor();
    await rowOf(page, 'CI_WEBHOOK_SECRET').getByText('payments (webhooks and runs)').waitFor();
  });

  it('shows a generated value once', { tags: ['full', 'continues'] }, async () => {
    const page = await signIn(daemon, '/secrets');
    await page.getByRole('button', { name: 'Create secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create secret' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('REVIEW_TOKEN');
    await dialog.getByText('Generate a value').click();
    await dialog.getByRole('checkbox', { name: 'All factories, also later ones' }).check();
    await expect.poll(() => dialog.getByRole('combobox', { name: 'Factories' }).isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: 'Webhooks: verify deliveries' }).uncheck();
    await lookAt(page, 'secrets-create-for-all');
    await dialog.getByRole('button', { name: 'Create secret' }).click();
    const shown = (await dialog.getByRole('region', { name: 'secret' }).textContent())!;
    expect(shown).toMatch(/^dbs_[\w-]{43}$/);
    await lookAt(page, 'secrets-generated');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await rowOf(page, 'REVIEW_TOKEN').getByText('payments/triage').waitFor();
    await rowOf(page, 'REVIEW_TOKEN').getByText('all factories (runs)').waitFor();
    await page.reload();
    await rowOf(page, 'REVIEW_TOKEN').waitFor();
    await expect.poll(() => page.content()).not.toContain(shown);
  });

  it('shows after an update which webhook uses the older version, and when it switches', {
    tags: ['full', 'continues'],
  }, async () => {
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

  it('changes the scope, and keeps a factory that uses the secret unless the user insists', {
    tags: ['full', 'continues'],
  }, async () => {
    const page = await signIn(daemon, '/secrets');
    const dialog = page.getByRole('dialog', { name: 'Scope of REVIEW_TOKEN' });
    const open = () => page.getByRole('button', { name: 'Scope of REVIEW_TOKEN' }).click();
    const choose = async (factory: string) => {
      // A field with chosen factories has no text to click.
      await dialog.getByRole('combobox', { name: 'Factories' }).click({ force: true });
      await page.getByRole('option', { name: factory }).click();
      // Closes the list, which covers other fields.
      await dialog.getByText('Current scope').click();
    };
    await open();
    await dialog.getByText('Current scope: all factories (runs).').waitFor();
    const change = dialog.getByRole('button', { name: 'Change scope' });
    await dialog.getByRole('checkbox', { name: 'All factories, also later ones' }).uncheck();
    await expect.poll(() => change.isDisabled()).toBe(true);
    await choose('operations');
    await dialog.getByRole('checkbox', { name: 'Webhooks: verify deliveries' }).check();
    await dialog.getByRole('checkbox', { name: 'Runs: environment variable' }).uncheck();
    await lookAt(page, 'secrets-scope');
    await change.click();
    await dialog.getByRole('alert').getByText('payments/triage').waitFor();
    await lookAt(page, 'secrets-scope-refused');
    await page.setViewportSize(NARROW);
    await lookAt(page, 'secrets-scope-narrow');
    await dialog.getByRole('checkbox', { name: 'Change it even though an excluded factory uses the secret' }).check();
    await change.click();
    await rowOf(page, 'REVIEW_TOKEN').getByText('operations (webhooks)').waitFor();

    await open();
    for (const use of ['Webhooks: verify deliveries', 'Runs: environment variable']) {
      await dialog.getByRole('checkbox', { name: use }).setChecked(use.startsWith('Runs'));
    }
    await choose('payments');
    await change.click();
    await rowOf(page, 'REVIEW_TOKEN').getByText('operations, payments (runs)').waitFor();
    const { body } = await daemon.api('/secrets');
    const stored = body.data.find(({ name }: { name: string }) => name === 'REVIEW_TOKEN');
    expect(stored.scope).toEqual({ webhook: [], run: ['operations', 'payments'] });
  });

  it('explains the effects of deleting, and rejects it while the secret is in use', {
    tags: ['full', 'continues'],
  }, async () => {
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
