import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt } from '../../helpers/dashboard.ts';
import { type DashboardFactory, startDashboardFactory } from '../../helpers/dashboard-factory.ts';
import { eventually } from '../../helpers/eventually.ts';

const HOSTILE = '<img src=x onerror=alert(1)>\u202e"quoted"';

describeDashboard('the alerts', ({ signIn }) => {
  let factory: DashboardFactory;
  beforeAll(async () => {
    factory = await startDashboardFactory('exit 1', {
      alerts: { interval: '1s', resolveAfter: '0s', rules: { disk: 'off' } },
    });
  });
  afterAll(() => factory?.daemon.end('SIGTERM'));

  it('are none at first', { tags: 'full' }, async () => {
    const page = await signIn(factory.daemon, '/alerts');
    await page.getByText('No alert is active').waitFor();
    await lookAt(page, 'alerts-none');
  });

  /** The page asks again every 15 seconds, so the test opens it when the daemon has the alerts. */
  const untilActive = (count: number) =>
    eventually(async () => (await factory.daemon.api('/alerts?state=active')).body.data.length === count);

  it('are counted in the navigation, acknowledged with a note, and link to what they are about', async () => {
    await factory.send('{"start": true}');
    const created = await factory.daemon.cli('token', 'create', HOSTILE.slice(0, 28), '--expires', '2h', '--json');
    await untilActive(2);
    const page = await signIn(factory.daemon, '/alerts');
    const table = page.getByRole('table', { name: 'Alerts' });
    await table.getByText('The last run failed.').waitFor();
    await table.getByText('<img src=x').waitFor();
    await page.getByRole('link', { name: /^Alerts 2/ }).waitFor();
    await lookAt(page, 'alerts-open');

    await page.getByRole('button', { name: /^Acknowledge Run failed/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Acknowledge this alert' });
    await dialog.getByLabel('Note').fill('I look at <b>it</b>');
    await lookAt(page, 'alerts-acknowledge');
    await dialog.getByRole('button', { name: 'Acknowledge' }).click();
    await table.getByText('I look at <b>it</b>').waitFor();
    await table.getByText('acknowledged', { exact: true }).waitFor();
    await page.getByRole('link', { name: /^Alerts 1/ }).waitFor();

    await factory.daemon.cli('token', 'revoke', JSON.parse(created.stdout).id, '--yes');
    await untilActive(1);
    await page.getByRole('tab', { name: 'Resolved' }).click();
    await table.getByText('<img src=x').waitFor();
    await lookAt(page, 'alerts-resolved');
    await page.getByRole('tab', { name: 'Active' }).click();
    await table.getByRole('link').first().click();
    await page.waitForURL(/\/factories\/payments\/automations\//);
  });

  it('are mentioned on the overview', { tags: 'full' }, async () => {
    const opened = await factory.send('{"start": true, "n": 2}', { authorization: 'Bearer wrong-wrong-wrong-wrong' });
    expect(opened).toBeDefined();
    for (let i = 0; i < 10; i++) await factory.send(`{"n": ${i}}`, { authorization: 'Bearer wrong-wrong-wrong-wrong' });
    const page = await signIn(factory.daemon);
    await page.getByText('1 open alert', { exact: true }).waitFor({ timeout: 30_000 });
    await page.getByRole('link', { name: 'View alerts' }).click();
    await page
      .getByText(/^\d+ requests were rejected in the last 5 minutes\. The webhook rejected \d+ requests since /)
      .waitFor();
  });
});
