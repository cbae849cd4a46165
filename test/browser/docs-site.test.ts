import { afterAll, beforeAll, expect, it } from 'vitest';
import { readPackageVersion } from '../../src/platform/files/package-version.ts';
import { describeDashboard } from '../helpers/dashboard.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

/** The built site at a real daemon. A test fails if a page breaches the policy or writes an error to the console. */
describeDashboard('the documentation of the daemon', ({ openPage, signIn }) => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemonHere({ config: {} });
  });
  afterAll(() => daemon?.end('SIGTERM'));

  it('finds a page by search, changes the theme, and asks no other host', { tags: 'full' }, async () => {
    const page = await openPage();
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    await page.goto(`${daemon.adminUrl}/docs/`);
    await page.getByRole('combobox', { name: 'Version' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Version' }).inputValue()).toBe(readPackageVersion());
    await page
      .getByRole('button', { name: /search/i })
      .first()
      .click();
    await page.getByRole('searchbox').fill('systemd unit');
    await page.locator('.VPLocalSearchBox a.result[href*="/docs/operations/"]').first().click();
    await page.waitForURL('**/docs/operations/**');
    const isDark = () => page.evaluate(`document.documentElement.classList.contains('dark')`);
    const wasDark = await isDark();
    await page.getByRole('switch', { name: /theme/i }).first().click();
    await expect.poll(isDark).toBe(!wasDark);
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await isDark()).toBe(!wasDark);
    await page.getByRole('switch', { name: /theme/i }).first().click();
    expect([...hosts]).toEqual([new URL(daemon.adminUrl).host]);
  });

  it('shows the API reference, coloured code, and no page that is wider than a tablet or a phone', {
    tags: 'full',
  }, async () => {
    const page = await openPage();
    await page.goto(`${daemon.adminUrl}/docs/reference/api/webhooks#create-a-webhook`);
    await page.getByRole('heading', { name: 'Create a webhook' }).waitFor();
    const readColour = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).color`);
    expect(await readColour('.vp-code .code-string')).not.toBe(await readColour('.vp-code code'));
    for (const width of [820, 390]) {
      await page.setViewportSize({ width, height: 844 });
      const isWider = () => page.evaluate('document.documentElement.scrollWidth > innerWidth');
      await expect.poll(isWider, { message: `${width} pixels` }).toBe(false);
    }
  });

  it('opens a deep link to a section, and has a page for missing pages', { tags: 'full' }, async () => {
    const page = await openPage();
    await page.goto(`${daemon.adminUrl}/docs/reference/receiving-deliveries#order-of-checks`);
    await page.getByRole('heading', { name: 'Order of checks' }).waitFor();
    const missing = await page.request.get(`${daemon.adminUrl}/docs/nowhere`, { headers: { accept: 'text/html' } });
    expect(missing.status()).toBe(404);
    expect(await missing.text()).toContain('/docs/assets/');
  });

  it('is linked from the menu of the user', { tags: 'full' }, async () => {
    const page = await signIn(daemon);
    await page.getByRole('button', { name: 'Account' }).click();
    const link = page.getByRole('menuitem', { name: 'Documentation' });
    expect(await link.getAttribute('href')).toBe('/docs/');
  });
});
