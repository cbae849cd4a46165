import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { describeDashboard, lookAt } from '../helpers/dashboard.ts';
import type { TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

describeDashboard('the webhook pages', ({ signIn }) => {
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
  const postTo = (url: string, secret: string | null, body: unknown = { hello: 'world' }) =>
    fetch(url, {
      method: 'POST',
      headers: secret === null ? {} : { authorization: `Bearer ${secret}` },
      body: JSON.stringify(body),
    });
  /** Reads the value next to a copy button. */
  const readLine = async (page: Page, what: string) => {
    const line = page.getByRole('button', { name: `Copy ${what}` }).locator('xpath=..');
    return (await line.locator('code').textContent()) ?? '';
  };
  const confirm = (page: Page, action: string) =>
    page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
  const choose = async (page: Page, action: string) => {
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: action }).click();
    await page.getByRole('dialog').waitFor();
  };

  it('explain the next step in an empty factory', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/factories/support/webhooks');
    await page.getByText('No webhooks yet').waitFor();
    await lookAt(page, 'webhooks-empty');
    await page.getByRole('link', { name: 'Add webhook' }).first().click();
    await page.getByRole('heading', { name: 'Add webhook' }).waitFor();
  });

  it('show the URL and secret of a new webhook once, and both work', async () => {
    const page = await signIn(daemon, '/factories/support/webhooks');
    await page.getByRole('link', { name: 'Add webhook' }).first().click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('internal-ci');
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Secret name' }).getAttribute('placeholder'))
      .toBe('INTERNAL_CI_WEBHOOK_SECRET');
    await submit(page);
    await page.getByText('Copy the secret now').waitFor();
    await lookAt(page, 'webhook-once');
    const [url, secret] = [await readLine(page, 'ingress URL'), await readLine(page, 'secret')];
    expect((await postTo(url, secret)).status).toBe(202);
    await expect.poll(() => page.getByRole('region', { name: 'command' }).textContent()).toContain(secret);
    await page.reload();
    await page.getByRole('heading', { name: 'Add webhook' }).waitFor();
    await expect.poll(() => page.content()).not.toContain(secret);
    await page.goBack();
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByRole('link', { name: 'internal-ci' }).click();
    await page.getByText('Accepted', { exact: true }).waitFor();
    await expect.poll(() => page.content()).not.toContain(secret);
  });

  it('show the secret of a URL token in the URL once, and {token} afterwards', { tags: 'full' }, async () => {
    const page = await openForm('support');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('uptime');
    await page.getByRole('radio', { name: 'URL token' }).click();
    await submit(page);
    await page.getByText('Copy the secret now').waitFor();
    const url = await readLine(page, 'ingress URL');
    expect((await postTo(url, null)).status).toBe(202);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await expect.poll(() => readLine(page, 'ingress URL')).toMatch(/\/\{token\}$/);
  });

  it('disable and enable after a confirmation', { tags: 'full' }, async () => {
    const page = await openForm('support');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('toggled');
    await submit(page);
    const [url, secret] = [await readLine(page, 'ingress URL'), await readLine(page, 'secret')];
    await page.getByRole('button', { name: 'I have copied it' }).click();
    const toggle = page.getByRole('switch', { name: 'Enabled' });
    await toggle.click();
    await page.getByText('Senders get 404 immediately').waitFor();
    await expect.poll(() => toggle.isChecked()).toBe(true);
    await lookAt(page, 'webhook-disable');
    await confirm(page, 'Disable');
    await page.getByText('disabled', { exact: true }).waitFor();
    expect((await postTo(url, secret)).status).toBe(404);
    await toggle.click();
    await page.getByText('Deliveries are accepted again immediately').waitFor();
    await confirm(page, 'Enable');
    await page.getByText('enabled', { exact: true }).waitFor();
    expect((await postTo(url, secret)).status).toBe(202);
    await page.reload();
    const unlogged = page.getByRole('table', { name: 'Requests without a log entry' });
    await unlogged.getByRole('row', { name: /disabled.*404/ }).waitFor();
    await lookAt(page, 'webhook-unlogged-requests');
  });

  it('show and edit what a webhook serves, with names and accounts at the provider', { tags: 'full' }, async () => {
    const page = await openForm('support');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('relay');
    await page.getByRole('combobox', { name: 'Serves triggers of' }).click();
    await page.getByRole('option', { name: 'Slack' }).click();
    await page.getByRole('textbox', { name: 'Channel names' }).fill('triage');
    await submit(page);
    await page.getByText('Use one name = ID per line.').waitFor();
    await page.getByRole('textbox', { name: 'Channel names' }).fill('#triage = C0123456789\nops = C0123456790');
    await page.getByRole('textbox', { name: 'Ignored actors' }).fill('factory-bot\nB0123456789');
    await lookAt(page, 'webhook-provider-form');
    await submit(page);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    const settings = page.locator('section', { has: page.getByRole('heading', { name: 'Settings' }) });
    await settings.getByText('triage = C0123456789, ops = C0123456790').waitFor();
    await settings.getByText('factory-bot, B0123456789').waitFor();

    await choose(page, 'Provider triggers');
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.getByRole('textbox', { name: 'Channel names' }).inputValue()).toContain('ops = ');
    await lookAt(page, 'webhook-provider-dialog');
    await dialog.getByRole('combobox', { name: 'Serves triggers of' }).click();
    await page.getByRole('option', { name: 'GitHub' }).click();
    await confirm(page, 'Save');
    await dialog.getByText('names.channels has no effect, because this webhook serves github.').first().waitFor();
    await dialog.getByRole('textbox', { name: 'Channel names' }).fill('');
    await confirm(page, 'Save');
    await dialog.waitFor({ state: 'hidden' });
    await settings.getByText('GitHub', { exact: true }).waitFor();
    await expect.poll(() => settings.getByText('triage = ').count()).toBe(0);
    await lookAt(page, 'webhook-provider-settings');
  });

  it('rotate, rename and delete in a live factory', { tags: 'full' }, async () => {
    const page = await openForm('support');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('short-lived');
    await submit(page);
    const [url, old] = [await readLine(page, 'ingress URL'), await readLine(page, 'secret')];
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await choose(page, 'Rotate secret');
    await confirm(page, 'Rotate secret');
    await page.getByText('Secret rotated').waitFor();
    const renewed = await readLine(page, 'secret');
    expect([(await postTo(url, old)).status, (await postTo(url, renewed)).status]).toEqual([401, 202]);
    await page.reload();
    await page.getByRole('heading', { name: 'How to send' }).waitFor();
    await expect.poll(() => page.content()).not.toContain(renewed);

    await choose(page, 'Rename');
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('renamed');
    await confirm(page, 'Rename');
    await page.getByRole('heading', { name: 'renamed', level: 1 }).waitFor();

    await choose(page, 'Delete');
    await page.getByRole('dialog').getByRole('textbox').fill('renamed');
    await confirm(page, 'Delete webhook');
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    expect((await postTo(url, renewed)).status).toBe(404);
    const linksIn = (table: string) =>
      page.getByRole('table', { name: table, exact: true }).getByRole('link', { name: 'renamed' }).count();
    await expect.poll(() => linksIn('Webhooks')).toBe(0);
    await expect.poll(() => linksIn('Deleted webhooks')).toBe(1);
  });

  it('are read-only if the factory is managed in Git, and show file, branch and commit', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/factories/payments/webhooks');
    await expect.poll(() => page.getByRole('link', { name: 'Add webhook' }).count()).toBe(0);
    await page.getByRole('link', { name: 'ci', exact: true }).click();
    await page.getByText('webhooks/ci.yaml').waitFor();
    await page.getByRole('link', { name: 'first', exact: true }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Actions' }).count()).toBe(0);
    await lookAt(page, 'webhook-repository');
  });

  it('show the reason of a rejected request', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/factories/payments/webhooks');
    await page.getByRole('link', { name: 'ci', exact: true }).click();
    const url = await readLine(page, 'ingress URL');
    expect((await postTo(url, 'not-the-secret-of-this-webhook')).status).toBe(401);
    const log = page.getByRole('table', { name: 'Recent deliveries' });
    await log.getByText('The token is not the secret of this webhook.').waitFor();
  });

  it('show the response of a test delivery, and the delivery', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/factories/payments/webhooks');
    await page.getByRole('link', { name: 'ci', exact: true }).click();
    await page.getByRole('button', { name: 'Send test delivery' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('HTTP 202').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('table', { name: 'Recent deliveries' }).getByText('Accepted').first().waitFor();
  });
});
