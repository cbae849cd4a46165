import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt, moveTo, NARROW } from '../../helpers/dashboard.ts';
import { startDaemonHere, type TestDaemon } from '../../helpers/test-daemon.ts';

describeDashboard('the settings', ({ signIn, openPage }) => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemonHere({ config: { factories: [{ name: 'payments', source: { type: 'live' } }] } });
  });
  afterAll(() => daemon?.end('SIGTERM'));

  const signInByToken = async (page: Page, token: string) => {
    await page.goto(daemon.adminUrl);
    await page.getByRole('tab', { name: 'API token' }).click();
    await page.getByRole('textbox', { name: 'API token' }).fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'payments', level: 1 }).waitFor();
  };

  it('show a new token once, and the token works', async () => {
    const page = await signIn(daemon);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Create token' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create token' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('grafana');
    await dialog.getByRole('combobox', { name: 'Factories' }).click();
    await page.getByRole('option', { name: 'payments' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).click();
    await lookAt(page, 'settings-create-token');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    const token = (await dialog.getByRole('region', { name: 'API token' }).textContent())!;
    await lookAt(page, 'settings-new-token');
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 400);
    await page.evaluate('history.back()');
    const question = page.getByRole('dialog', { name: 'Leave without copying?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await expect.poll(() => dialog.getByRole('region', { name: 'API token' }).textContent()).toBe(token);
    expect((await daemon.api('/factories', { token })).status).toBe(200);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.reload();
    await page.getByRole('row').filter({ hasText: 'grafana' }).getByText('payments').waitFor();
    await expect.poll(() => page.content()).not.toContain(token);
    await lookAt(page, 'settings-tokens');
  });

  it('create a token for a worker that expires, and one that does not', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/settings');
    const dialog = page.getByRole('dialog', { name: 'Create token' });
    const select = async (label: string, option: string | RegExp) => {
      await dialog.getByRole('combobox', { name: label }).click();
      await page.getByRole('option', { name: option }).click();
    };
    const create = async (name: string, lifetime: string) => {
      await page.getByRole('button', { name: 'Create token' }).click();
      await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
      await select('Role', /^worker/);
      await select('Expires after', lifetime);
    };
    await create('builder', '30 days');
    await lookAt(page, 'settings-create-worker');
    await page.setViewportSize(NARROW);
    await lookAt(page, 'settings-create-worker-narrow');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    const token = (await dialog.getByRole('region', { name: 'API token' }).textContent())!;
    await dialog.getByText('It has the role worker').waitFor();
    const { x, width } = (await dialog.getByRole('button', { name: 'Copy API token' }).boundingBox())!;
    expect(x + width, 'right edge of the copy button').toBeLessThan(NARROW.width);
    await lookAt(page, 'settings-new-worker');
    await dialog.getByRole('button', { name: 'Done' }).click();
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row('builder').getByText('worker').waitFor();
    await row('builder').getByText('in 30 days').waitFor();
    expect((await daemon.api('/factories', { token })).status).toBe(403);
    const claim = { limit: 1 };
    expect((await daemon.api('/runs/claim', { method: 'POST', body: claim, token })).status).toBe(200);

    await create('forever', 'Never');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await row('forever').getByText('Never').first().waitFor();
    const { body } = await daemon.api('/tokens');
    const stored = body.data.find(({ name }: { name: string }) => name === 'forever');
    expect(stored).toMatchObject({ role: 'worker', factories: null, expires_at: null });
  });

  it('revoke a token after a confirmation', { tags: 'full' }, async () => {
    const { body } = await daemon.api('/tokens', { method: 'POST', body: { name: 'old', role: 'viewer' } });
    const page = await signIn(daemon, '/settings');
    await page.getByRole('button', { name: 'Revoke old' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke old' });
    await dialog.getByText('rejected immediately').waitFor();
    await dialog.getByRole('button', { name: 'Revoke token' }).click();
    await page.getByRole('button', { name: 'Revoke old' }).waitFor({ state: 'detached' });
    expect((await daemon.api('/factories', { token: body.token })).status).toBe(401);
  });

  it('show the version and link to its documentation', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/settings/about');
    await page.getByRole('row').filter({ hasText: 'Version' }).waitFor();
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Documentation of this version' }).click();
    await (await opened).getByRole('heading', { level: 1, name: 'Documentation' }).waitFor();
  });

  it('explain the missing role to a viewer and hide the controls', { tags: 'full' }, async () => {
    const { body } = await daemon.api('/tokens', { method: 'POST', body: { name: 'reader', role: 'viewer' } });
    const page = await openPage();
    await signInByToken(page, body.token);
    for (const [path, heading] of [
      ['/settings', 'API tokens require the owner role'],
      ['/secrets', 'Secrets require the owner role'],
    ] as const) {
      await moveTo(page, path);
      await page.getByRole('heading', { name: heading }).waitFor();
      await expect.poll(() => page.getByRole('main').getByRole('button').count()).toBe(0);
    }
    await lookAt(page, 'secrets-viewer');
    await moveTo(page, '/factories/payments/reconciliations');
    await expect.poll(() => page.getByRole('button', { name: 'Reconcile now' }).isDisabled()).toBe(true);
  });
});
