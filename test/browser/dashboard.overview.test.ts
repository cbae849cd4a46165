import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt, NARROW } from '../helpers/dashboard.ts';
import { createWebhook, type DashboardFactory, startDashboardFactory } from '../helpers/dashboard-factory.ts';

describeDashboard('the overview', ({ signIn }) => {
  let factory: DashboardFactory;
  beforeAll(async () => {
    factory = await startDashboardFactory('exit 1');
  });
  afterAll(() => factory?.daemon.end('SIGTERM'));

  it('is healthy while nothing failed or was rejected', { tags: 'full' }, async () => {
    const page = await signIn(factory.daemon);
    await page.getByText('Healthy').waitFor();
    await page.getByText('No rejected deliveries').waitFor();
    await page.getByText('None in this period.').first().waitFor();
    await lookAt(page, 'overview-quiet');
  });

  it('counts deliveries by label and runs by state as they happen, and lists rejections', async () => {
    const page = await signIn(factory.daemon);
    await page.getByText('No rejected deliveries').waitFor();
    for (let i = 0; i < 12; i += 1) await factory.send(`{"start": ${i % 3 === 0}, "n": ${i}}`);
    await factory.send('{"start": true, "n": 0}');
    await page.getByText('4 of 4 runs failed in the last 24 hours.').waitFor();
    await page.getByText('Degraded').waitFor();
    await factory.send('{"broken"');
    await factory.send('{}', { authorization: 'Bearer wrong-wrong-wrong-wrong' });
    const chart = page.getByRole('table', { name: 'Deliveries by label' });
    await expect.poll(() => chart.textContent(), { timeout: 15_000 }).toContain('12');
    const rejections = page.getByRole('table', { name: 'Rejections' });
    await rejections.getByText('Rejected (auth)').waitFor();
    await rejections.getByText('Rejected (invalid JSON)').waitFor();
    await page
      .getByText(/^failed/)
      .first()
      .waitFor();
    const senders = page.getByRole('table', { name: 'Senders' });
    await senders.getByText(/^1 rejected since .*: The token is not the secret/).waitFor();
    await senders.getByText('13 of 15 requests accepted in the last 24 hours (86.7 %)').waitFor();
    const automations = page.getByRole('table', { name: 'Automations with failed or queued runs' });
    await automations.getByText('all of the last 4 runs failed').waitFor();
    await page.getByText('Automations are failing').waitFor();
    await page.getByText('7 days').click();
    await expect.poll(() => chart.textContent()).toMatch(/12/);
    await lookAt(page, 'overview-week');
    await rejections
      .getByRole('link', { name: /now|ago/ })
      .first()
      .click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.url()).toContain('/deliveries/dlv_');
  });

  it('links bars, labels and rejections to the counted deliveries', { tags: ['full', 'continues'] }, async () => {
    const page = await signIn(factory.daemon);
    await page.getByRole('link', { name: 'All Rejected (auth)' }).click();
    await page.waitForURL(/deliveries\?label=Rejected\+%28auth%29&last=24h$/);
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.goBack();
    await page.getByRole('figure').first().getByRole('link', { name: 'Duplicate' }).click();
    await page.waitForURL(/deliveries\?label=Duplicate&last=24h$/);
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.goBack();
    await page.locator('figure a[tabindex="-1"]').last().click();
    await page.waitForURL(/deliveries\?from=.*&to=/);
    await page.getByText('Accepted').first().waitFor();
  });

  it('shows the activity of each webhook in the list', { tags: ['full', 'continues'] }, async () => {
    await createWebhook(factory.daemon, 'quiet');
    const page = await signIn(factory.daemon, '/factories/payments/webhooks');
    await page.getByRole('img', { name: /^1[0-9] deliveries in 24 hours/ }).waitFor();
    await page.getByRole('img', { name: '0 deliveries in 24 hours' }).waitFor();
  });

  it('fits on a narrow screen', { tags: ['full', 'continues'] }, async () => {
    const page = await signIn(factory.daemon, '/', NARROW);
    await page.getByText('Degraded').waitFor();
    await page.getByRole('table', { name: 'Rejections' }).waitFor();
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  });
});
