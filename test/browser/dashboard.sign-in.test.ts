import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt } from '../helpers/dashboard.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

describeDashboard('the sign-in page', ({ openPage, signIn }) => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemonHere({ config: { factories: [{ name: 'payments', source: { type: 'live' } }] } });
  });
  afterAll(() => daemon?.end('SIGTERM'));

  it('is shown for every URL without a session, and returns to that URL', async () => {
    const page = await openPage();
    await page.goto(`${daemon.adminUrl}/factories/payments/webhooks`);
    await page.getByRole('heading', { name: 'Sign in to Dockbell' }).waitFor();
    await page.getByRole('tab', { name: 'API token' }).click();
    await page
      .getByRole('textbox', { name: 'API token' })
      .fill(readFileSync(join(daemon.dataDir, 'admin-token'), 'utf8').trim());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
  });

  it('rejects an invalid token', { tags: 'full' }, async () => {
    const page = await openPage();
    await page.goto(daemon.adminUrl);
    await page.getByRole('tab', { name: 'API token' }).click();
    await page.getByRole('textbox', { name: 'API token' }).fill('dbk_nonsense');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await lookAt(page, 'sign-in-refused');
  });

  it('accepts a login link once and removes the token from the URL', { tags: 'full' }, async () => {
    const { body } = await daemon.api('/login-links', { method: 'POST' });
    const first = await openPage();
    await first.goto(body.url);
    await first.getByRole('heading', { name: 'payments' }).waitFor();
    await expect.poll(() => first.url()).toBe(`${daemon.adminUrl}/factories/payments`);
    const second = await openPage();
    await second.goto(body.url);
    await second.getByRole('alert').getByText('This login link was already used or has expired.').waitFor();
    await expect.poll(() => second.url()).toBe(`${daemon.adminUrl}/login`);
  });

  it('ignores a session response that was requested before the sign-in', { tags: 'full' }, async () => {
    const { body } = await daemon.api('/login-links', { method: 'POST' });
    const page = await openPage();
    const posted = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.route('**/api/v1/session', async (route) => {
      if (route.request().method() !== 'GET') return route.continue();
      const before = await route.fetch();
      await posted;
      // The page may have cancelled the request by then.
      await route.fulfill({ response: before }).catch(() => undefined);
    });
    await page.goto(body.url);
    await page.getByRole('heading', { name: 'payments' }).waitFor();
    await page.getByRole('button', { name: 'Account' }).waitFor();
  });

  it('is followed by the page without a loading indicator, which would stay for 300 ms', { tags: 'full' }, async () => {
    const page = await (await signIn(daemon)).context().newPage();
    await page.addInitScript(`new MutationObserver(() => {
      if (document.querySelector('[aria-label="Loading the page"]') !== null) performance.mark('placeholder');
    }).observe(document, { childList: true, subtree: true })`);
    await page.goto(`${daemon.adminUrl}/factories/payments/deliveries`);
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();
    expect(await page.evaluate(() => performance.getEntriesByName('placeholder').length)).toBe(0);
  });

  it('is shown after signing out, also in other windows', { tags: 'full' }, async () => {
    const page = await signIn(daemon);
    const beside = await page.context().newPage();
    await beside.goto(daemon.adminUrl);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Dockbell' }).waitFor();
    await beside.reload();
    await beside.getByRole('heading', { name: 'Sign in to Dockbell' }).waitFor();
  });
});
