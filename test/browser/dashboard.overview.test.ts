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

  it('says that it is healthy while nothing failed or was rejected', async () => {
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

  it('leads from a bar, a label and the rejections to the deliveries that they count', async () => {
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

  it('shows in the list of webhooks how much each received', async () => {
    await createWebhook(factory.daemon, 'silent');
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

describeDashboard('the overview of a factory in trouble', ({ signIn }) => {
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

  it('of a factory without webhooks, or with nothing that listens to them, begins with the next step', async () => {
    const page = await signIn(daemon, '/factories/fresh');
    await page.getByText('No webhook yet').waitFor();
    await expect.poll(() => page.getByText('Healthy').count()).toBe(0);
    await lookAt(page, 'overview-fresh');
    await page.getByRole('link', { name: 'Add webhook' }).click();
    await page.getByRole('heading', { name: 'Add webhook' }).waitFor();
    await createWebhookIn('fresh');
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByText('Deliveries start nothing yet').waitFor();
    await page.getByRole('link', { name: 'To the automations' }).click();
    await page.getByText('No automation yet').waitFor();
  });

  it('shows what happened while it was being loaded', async () => {
    await expect.poll(async () => (await daemon.api('/factories/raced')).body.applied_revision).not.toBeNull();
    const page = await signIn(daemon, '/account');
    const answerLate = async (route: Route) => {
      const old = await route.fetch();
      await createWebhookIn('raced');
      await route.fulfill({ response: old });
    };
    // Once: what is asked later goes its own way, also when the test has ended.
    await page.route('**/api/v1/factories', answerLate, { times: 1 });
    await page.goto(`${daemon.adminUrl}/factories/raced`);
    await page.getByText('Deliveries start nothing yet').waitFor();
  });

  const createWebhookIn = async (factory: string) => {
    const made = await daemon.api(`/factories/${factory}/webhooks`, { method: 'POST', body: { name: 'ci' } });
    expect(made.status).toBe(201);
  };

  it('begins with what is wrong and leads to where it says more', async () => {
    const page = await signIn(daemon, '/factories/payments');
    await page.getByText('Nothing is live yet').waitFor();
    await page.getByText('Nothing goes live before it does.').waitFor();
    await expect.poll(() => page.getByText('What was live before goes on.').count()).toBe(0);
    await page.getByText('Runs are queued but nothing executes them').waitFor();
    await lookAt(page, 'overview-trouble');
    await page.getByRole('link', { name: 'View reconciliations' }).first().click();
    await page.getByRole('heading', { name: 'Reconciliations', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('No webhook is live').waitFor();
    // What every page knows of the factory is renewed by the pass, also beyond the overview.
    const nightly = '---\ntriggers:\n  - provider: schedule\n---\nLook around.\n';
    await repo.commit({ 'webhooks/ci.yaml': null, 'automations/nightly/automation.md': nightly });
    await page.getByText('No webhook yet').waitFor();
  });
});
