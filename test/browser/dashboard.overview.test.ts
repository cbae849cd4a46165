import type { Route } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt, NARROW } from '../helpers/dashboard.ts';
import { createWebhook, type DashboardFactory, startDashboardFactory } from '../helpers/dashboard-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

describeDashboard('the overview', ({ signIn }) => {
  let factory: DashboardFactory;
  beforeAll(async () => {
    factory = await startDashboardFactory('exit 1');
  });
  afterAll(() => factory?.daemon.end('SIGTERM'));

  it('is healthy while nothing failed or was rejected', async () => {
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

  it('links bars, labels and rejections to the counted deliveries', async () => {
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

  it('shows the activity of each webhook in the list', async () => {
    await createWebhook(factory.daemon, 'quiet');
    const page = await signIn(factory.daemon, '/factories/payments/webhooks');
    await page.getByRole('img', { name: /^1[0-9] deliveries in 24 hours/ }).waitFor();
    await page.getByRole('img', { name: '0 deliveries in 24 hours' }).waitFor();
  });

  it('fits on a narrow screen', async () => {
    const page = await signIn(factory.daemon, '/', NARROW);
    await page.getByText('Degraded').waitFor();
    await page.getByRole('table', { name: 'Rejections' }).waitFor();
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  });
});

describeDashboard('the overview of a factory with errors', ({ signIn }) => {
  let daemon: TestDaemon;
  let repo: TempGitRepo;
  beforeAll(async () => {
    repo = await createTempGitRepo();
    await repo.commit({ 'webhooks/ci.yaml': 'enabeld: true\n<script>alert(1)</script>: 1\n' });
    daemon = await startTestDaemon({
      config: {
        factories: [
          { name: 'payments', source: { type: 'repository', url: repo.path } },
          { name: 'fresh', source: { type: 'live' } },
          { name: 'raced', source: { type: 'live' } },
        ],
      },
    });
    await eventually(async () => (await daemon.api('/factories/payments')).body.attempted_revision);
  });
  afterAll(async () => {
    await daemon?.end('SIGTERM');
    repo?.remove();
  });

  it('shows the next setup step for a factory without webhooks or automations', async () => {
    const page = await signIn(daemon, '/factories/fresh');
    await page.getByText('No webhooks yet').waitFor();
    await expect.poll(() => page.getByText('Healthy').count()).toBe(0);
    await lookAt(page, 'overview-fresh');
    await page.getByRole('link', { name: 'Add webhook' }).click();
    await page.getByRole('heading', { name: 'Add webhook' }).waitFor();
    await createWebhookIn('fresh');
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByText('Deliveries do not start runs yet').waitFor();
    await page.getByRole('link', { name: 'View automations' }).click();
    await page.getByText('No automations yet').waitFor();
  });

  it('shows events that happened while it was loading', async () => {
    await expect.poll(async () => (await daemon.api('/factories/raced')).body.applied_revision).not.toBeNull();
    const page = await signIn(daemon, '/account');
    const answerLate = async (route: Route) => {
      const old = await route.fetch();
      await createWebhookIn('raced');
      await route.fulfill({ response: old });
    };
    // Once: later requests are not delayed.
    await page.route('**/api/v1/factories', answerLate, { times: 1 });
    await page.goto(`${daemon.adminUrl}/factories/raced`);
    await page.getByText('Deliveries do not start runs yet').waitFor();
  });

  const createWebhookIn = async (factory: string) => {
    const made = await daemon.api(`/factories/${factory}/webhooks`, { method: 'POST', body: { name: 'ci' } });
    expect(made.status).toBe(201);
  };

  it('starts with the errors and links to details', async () => {
    const page = await signIn(daemon, '/factories/payments');
    await page.getByText('No definition is live yet').waitFor();
    await page.getByText('Nothing is live until a definition is applied.').waitFor();
    await expect.poll(() => page.getByText('The previous definition stays live.').count()).toBe(0);
    await page.getByText('Runs are queued but nothing executes them').waitFor();
    await lookAt(page, 'overview-trouble');
    await page.getByRole('link', { name: 'View reconciliations' }).first().click();
    await page.getByRole('heading', { name: 'Reconciliations', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('No live webhooks').waitFor();
    // The factories are read again after a reconciliation, on every page.
    const nightly = '---\ntriggers:\n  - provider: schedule\n---\nLook around.\n';
    await repo.commit({ 'webhooks/ci.yaml': null, 'automations/nightly/automation.md': nightly });
    await page.getByText('No webhooks yet').waitFor();
  });
});
