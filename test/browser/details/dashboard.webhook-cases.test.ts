import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyCiFactory, createCiRepository } from '../../helpers/ci-factory.ts';
import { describeDashboard, lookAt, moveTo, NARROW } from '../../helpers/dashboard.ts';
import { signInByPassword } from '../../helpers/sign-in-by-password.ts';
import type { TempGitRepo } from '../../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../../helpers/test-daemon.ts';

describeDashboard('the webhook pages in special cases', ({ openPage, signIn }) => {
  let daemon: TestDaemon;
  let repository: TempGitRepo;
  beforeAll(async () => {
    repository = await createCiRepository();
    const factories = [
      { name: 'payments', source: { type: 'repository', url: repository.path } },
      { name: 'support', source: { type: 'live' } },
      { name: 'billing', source: { type: 'managed' } },
    ];
    daemon = await startDaemonHere({ config: { factories } });
    await applyCiFactory(daemon);
    const body = { name: 'internal-ci' };
    expect((await daemon.api('/factories/support/webhooks', { method: 'POST', body })).status).toBe(201);
  });
  afterAll(async () => {
    await daemon?.end('SIGTERM');
    repository?.remove();
  });

  const openForm = async (factory: string) => {
    const page = await signIn(daemon, `/factories/${factory}/webhooks/new`);
    await page.getByRole('heading', { name: 'Add webhook' }).waitFor();
    return page;
  };
  const submit = (page: Page) => page.getByRole('button', { name: 'Add webhook' }).click();
  const confirm = (page: Page, action: string) =>
    page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
  const choose = async (page: Page, action: string) => {
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: action }).click();
    await page.getByRole('dialog').waitFor();
  };

  it.each(['support', 'billing'])(
    'finish the setup of a provider that issues its secret later (%s)',
    { tags: 'full' },
    async (factory) => {
      const page = await openForm(factory);
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('stripe');
      await page.getByRole('radio', { name: 'Provider signature' }).click();
      await page.getByRole('combobox', { name: 'Provider' }).click();
      await page.getByRole('option', { name: 'Stripe' }).click();
      await page.getByText('Stripe issues the secret after you enter the URL there').waitFor();
      await submit(page);
      await page.getByRole('heading', { name: 'Finish webhook setup' }).waitFor();
      await lookAt(page, `webhook-finish-${factory}`);
      await page.getByRole('button', { name: 'Finish later' }).click();
      await page.getByRole('heading', { name: 'Settings' }).waitFor();
      await page.getByRole('textbox', { name: 'Signing secret' }).fill('whsec_0123456789abcdefghijklmnopqrstuv');
      await page.getByRole('button', { name: 'Save secret and enable' }).click();
      await page.getByRole('heading', { name: 'Finish webhook setup' }).waitFor({ state: 'detached' });
      await page.getByText('enabled', { exact: true }).waitFor();
    },
  );

  it('explain the secret update in a managed factory, and offer no rename', { tags: 'full' }, async () => {
    const page = await openForm('billing');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('crm');
    await submit(page);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('button', { name: 'Actions' }).click();
    await expect.poll(() => page.getByRole('menuitem', { name: 'Rename' }).count()).toBe(0);
    await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
    await page.getByText('dockbell secret update --team CRM_WEBHOOK_SECRET').waitFor();
  });

  it('explain how to add a webhook to users who cannot add one here', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/factories/payments/webhooks');
    await page.getByText('To add a webhook, commit a file webhooks/<name>.yaml').waitFor();
    await moveTo(page, '/factories/payments/webhooks/new');
    await page.getByRole('heading', { name: 'Webhooks are managed in Git' }).waitFor();
    await expect.poll(() => page.getByRole('textbox').count()).toBe(0);
    await lookAt(page, 'add-webhook-repository');
    const account = { name: 'vera', role: 'viewer', password: 'correct horse battery 9' };
    expect((await daemon.api('/users', { method: 'POST', body: account })).status).toBe(201);
    const viewer = await openPage();
    await signInByPassword(viewer, daemon, account.name, account.password);
    await moveTo(viewer, '/factories/support/webhooks/new');
    await viewer.getByRole('heading', { name: 'Adding webhooks requires the manager role' }).waitFor();
    await expect.poll(() => viewer.getByRole('textbox').count()).toBe(0);
    const body = { name: 'awaited', auth_mode: 'signature', signature_scheme: 'stripe' };
    const awaited = await daemon.api('/factories/support/webhooks', { method: 'POST', body });
    expect(awaited.status).toBe(201);
    await moveTo(viewer, `/factories/support/webhooks/${awaited.body.uid}`);
    await viewer.getByText('A manager can finish the setup here.').waitFor();
    await expect.poll(() => viewer.getByText('Finish webhook setup').count()).toBe(0);
  });

  it('focus the first invalid field', { tags: 'full' }, async () => {
    const page = await openForm('support');
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('not a name');
    await submit(page);
    await page.getByText('Use letters, digits, dots, hyphens and underscores').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('not a name');
    const header = (await page.getByRole('banner').boundingBox())!;
    const label = page.locator('label').filter({ hasText: 'Name' }).first();
    await expect.poll(async () => (await label.boundingBox())!.y).toBeGreaterThanOrEqual(header.y + header.height);
  });

  it('show that a webhook is deleted, without sending instructions', { tags: 'full' }, async () => {
    const made = await daemon.api('/factories/support/webhooks', { method: 'POST', body: { name: 'retired' } });
    expect(made.status).toBe(201);
    const path = `/factories/support/webhooks/${made.body.uid}`;
    const page = await signIn(daemon, path);
    await page.getByText('No automation uses this webhook yet').waitFor();
    await choose(page, 'Delete');
    await page.getByRole('dialog').getByRole('textbox').fill('retired');
    await confirm(page, 'Delete webhook');
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    await page.goto(daemon.adminUrl + path);
    await page.getByText('Senders get 404. Requests are only counted.').waitFor();
    await expect.poll(() => page.getByText('How to send').count()).toBe(0);
  });

  it('reject a name that exists', { tags: 'full' }, async () => {
    const page = await openForm('support');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('internal-ci');
    await submit(page);
    await page.getByRole('alert').waitFor();
    await lookAt(page, 'add-webhook-refused');
  });

  it('fit on a narrow screen', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/factories/support/webhooks', NARROW);
    await page.getByRole('link', { name: 'internal-ci' }).waitFor();
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await page.getByRole('link', { name: 'Overview', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Close navigation' }).click();
    await page.getByRole('link', { name: 'internal-ci' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  });
});
