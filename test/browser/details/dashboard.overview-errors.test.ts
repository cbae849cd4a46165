import type { Route } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt } from '../../helpers/dashboard.ts';
import { eventually } from '../../helpers/eventually.ts';
import { createTempGitRepo, type TempGitRepo } from '../../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../../helpers/test-daemon.ts';

describeDashboard('the overview of a factory with errors', ({ signIn }) => {
  let daemon: TestDaemon;
  let repo: TempGitRepo;
  beforeAll(async () => {
    repo = await createTempGitRepo();
    await repo.commit({ 'webhooks/ci.yaml': 'enabeld: true\n<script>alert(1)</script>: 1\n' });
    daemon = await startDaemonHere({
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

  it('shows the next setup step for a factory without webhooks or automations', { tags: 'full' }, async () => {
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

  it('shows events that happened while it was loading', { tags: 'full' }, async () => {
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

  it('starts with the errors and links to details', { tags: 'full' }, async () => {
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
