import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt, moveTo } from '../helpers/dashboard.ts';
import { type DashboardFactory, startDashboardFactory } from '../helpers/dashboard-factory.ts';

const DELIVERIES = 12;
const HOSTILE = '<img src=x onerror="globalThis.hasRun = true">';

describeDashboard('replays', ({ signIn }) => {
  let factory: DashboardFactory;
  beforeAll(async () => {
    factory = await startDashboardFactory('echo built');
    for (let number = 0; number < DELIVERIES; number += 1) {
      const body = JSON.stringify({ start: number % 2 === 0, text: HOSTILE });
      await factory.send(body, { 'x-service-delivery-id': `${HOSTILE}-${number}` });
    }
  });
  afterAll(() => factory?.daemon.end('SIGTERM'));

  it('begin with a dry run of the filtered deliveries, and show their progress until the end', async () => {
    const page = await signIn(factory.daemon, '/factories/payments/deliveries');
    const button = page.getByRole('button', { name: 'Replay all that match' });
    await page.getByRole('link', { name: 'Replays', exact: true }).waitFor();
    expect(await button.count()).toBe(0);
    await page.goto(`${factory.daemon.adminUrl}/factories/payments/deliveries?label=Duplicate&last=24h`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await button.count()).toBe(0);
    await moveTo(page, '/factories/payments/deliveries?last=24h');
    await button.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('12 deliveries would be replayed, and start 6 runs.').waitFor();
    await dialog.getByRole('link', { name: 'build' }).waitFor();
    await dialog.getByText('Definition when received').click();
    await dialog.getByText('12 deliveries would be replayed, and start 6 runs.').waitFor();
    await lookAt(page, 'replay-dry-run');
    await dialog.getByLabel('Deliveries per second').fill('4');
    await dialog.getByRole('button', { name: 'Replay 12 deliveries' }).click();
    await page.getByRole('heading', { name: /^Replay rpl_/ }).waitFor();
    await page.getByText('The one that was live when each delivery was received').waitFor();
    await page.getByRole('progressbar', { name: 'Examined deliveries' }).waitFor();
    // Without a reload.
    await page.getByText('12 of 12').waitFor();
    await page.getByText('finished', { exact: true }).waitFor();
    await page.getByText('12, of which 6 started a run').waitFor();
    expect(await page.getByRole('button', { name: 'Cancel replay' }).count()).toBe(0);
    await lookAt(page, 'replay');
    expect(await page.evaluate(() => 'hasRun' in globalThis)).toBe(false);
  });

  it('are listed, and can be cancelled after a confirmation', { tags: 'full' }, async () => {
    const body = { rate: 1, search: '<img src=x' };
    const { body: replay } = await factory.daemon.api('/factories/payments/replays', { method: 'POST', body });
    const page = await signIn(factory.daemon, '/factories/payments/replays');
    await page.getByRole('table', { name: 'Replays' }).waitFor();
    await lookAt(page, 'replays');
    await page.getByRole('link', { name: replay.id }).click();
    await page.getByText('search: <img src=x').waitFor();
    const failed = { status: 409, json: { title: 'Conflict', detail: 'It did not work.' } };
    await page.route('**/cancel', (route) => route.fulfill(failed), { times: 1 });
    await page.getByRole('button', { name: 'Cancel replay' }).click();
    await page.getByText('A cancelled replay cannot continue.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel replay' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Cancel replay' }).click();
    await page.getByText('A cancelled replay cannot continue.').waitFor();
    expect(await page.getByRole('dialog').getByRole('alert').count()).toBe(0);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel replay' }).click();
    await page.getByText('cancelled', { exact: true }).waitFor();
    expect((await factory.daemon.api(`/replays/${replay.id}`)).body.state).toBe('cancelled');
    expect(await page.evaluate(() => 'hasRun' in globalThis)).toBe(false);
  });
});
