import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt } from '../../helpers/dashboard.ts';
import { createWebhook } from '../../helpers/dashboard-factory.ts';
import { startDaemonHere, type TestDaemon } from '../../helpers/test-daemon.ts';

const FACTORIES = ['alerts', 'payments'].map((name) => ({ name, source: { type: 'live' } }));

describeDashboard('the frame around the pages', ({ signIn }) => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemonHere({ config: { factories: FACTORIES } });
    await createWebhook(daemon, 'ci');
  });
  afterAll(() => daemon?.end('SIGTERM'));

  it('keeps the factory on pages that belong to none, and in tab titles', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/factories/payments/deliveries');
    const switcher = (name: string) => page.getByRole('button', { name: `Factory ${name}. Switch factory` });
    await expect.poll(() => page.title()).toBe('Deliveries · payments · Dockbell');
    for (const name of ['Secrets', 'Settings']) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await switcher('payments').waitFor();
    }
    await expect.poll(() => page.title()).toBe('API tokens · Settings · Dockbell');
    await page.getByRole('tab', { name: 'Users' }).click();
    await expect.poll(() => page.title()).toBe('Users · Settings · Dockbell');
    // Another tab shows another factory in the meantime.
    await page.evaluate(`localStorage.setItem('dockbell.factory', 'alerts')`);
    await page.reload();
    await switcher('payments').waitFor();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.waitForURL('**/factories/payments/runs');
    await switcher('payments').click();
    await page.getByRole('menuitem', { name: 'alerts' }).click();
    await page.waitForURL('**/factories/alerts/runs');
    await page.goto(daemon.adminUrl);
    await page.waitForURL('**/factories/alerts');
  });

  it('shows that the daemon is offline, reconnects, and loads pages that failed to load', {
    tags: 'full',
  }, async () => {
    const page = await signIn(daemon, '/factories/payments/webhooks');
    await page.getByRole('link', { name: 'ci', exact: true }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const { dataDir, adminUrl } = daemon;
    await daemon.end('SIGTERM');
    await page.getByText('No connection to the daemon').waitFor();
    await page.getByText('Offline', { exact: true }).waitFor();
    await lookAt(page, 'offline');
    await page.getByRole('link', { name: 'Reconciliations' }).click();
    const failure = page.getByRole('alert').filter({ hasText: 'The page could not be loaded' });
    await failure.waitFor();
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await failure.waitFor();
    const admin = { port: Number(new URL(adminUrl).port) };
    daemon = await startDaemonHere({ dataDir, config: { admin, factories: FACTORIES } });
    await page.getByText('Live', { exact: true }).waitFor();
    await expect.poll(() => page.getByText('No connection to the daemon').count()).toBe(0);
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByRole('table', { name: 'Reconciliations' }).waitFor();
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByRole('link', { name: 'ci', exact: true }).waitFor();
    await createWebhook(daemon, 'made-after-the-restart');
    await page.goto(`${adminUrl}/factories/payments/webhooks`);
    await page.getByRole('link', { name: 'made-after-the-restart' }).waitFor();
  });
});
