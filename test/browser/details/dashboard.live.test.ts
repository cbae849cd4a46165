import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard } from '../../helpers/dashboard.ts';
import { createWebhook, type DashboardFactory, startDashboardFactory } from '../../helpers/dashboard-factory.ts';

const HOUR_MS = 3_600_000;

/** Paths of all later requests to the management API; of those for activity, also the number of hours. */
function recordRequests(page: Page): string[] {
  const requests: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const hours = (Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? '')) / HOUR_MS;
    requests.push(pathname.endsWith('/activity') ? `${pathname} ${hours}` : pathname);
  });
  return requests;
}

/** A second hour is read if the hour has ended since the page was opened. */
const listUnexpected = (requests: readonly string[]) =>
  requests.filter((one) => !/^\/api\/v1\/factories\/payments(\/activity [12])?$/.test(one));

describeDashboard('live numbers', ({ signIn }) => {
  let factory: DashboardFactory;
  let sent = 0;

  const startRun = () => {
    sent += 1;
    return factory.send(`{"start": true, "n": ${sent}}`);
  };
  beforeAll(async () => {
    factory = await startDashboardFactory('wait end; exit 1');
    await createWebhook(factory.daemon, 'quiet');
  });
  afterAll(() => factory?.daemon.end('SIGTERM'));
  it('of the overview are counted again without a request for a list or for other hours', {
    tags: 'full',
  }, async () => {
    const page = await signIn(factory.daemon);
    await page.getByText('No rejected deliveries').waitFor();
    const numberOf = (name: string) =>
      page.getByRole('link', { name, exact: true }).last().locator('xpath=..').textContent();
    await expect.poll(() => numberOf('running')).toBe('0running');
    const requests = recordRequests(page);
    for (let i = 0; i < 3; i += 1) await startRun();
    await factory.send('{}', { authorization: 'Bearer wrong' });
    const deliveries = page.getByRole('figure').filter({ hasText: 'Deliveries by label' });
    await expect.poll(() => deliveries.textContent(), { timeout: 20_000 }).toMatch(/Accepted\s*3/);
    await expect.poll(() => deliveries.textContent()).toMatch(/Rejected \(auth\)\s*1/);
    const { queued_runs, running_runs } = (await factory.daemon.api('/factories/payments')).body.counts;
    expect(queued_runs + running_runs).toBe(3);
    await expect.poll(() => numberOf('running'), { timeout: 20_000 }).toBe(`${running_runs}running`);
    await expect.poll(() => numberOf('queued'), { timeout: 20_000 }).toBe(`${queued_runs}queued`);
    factory.signal('end');
    await page.getByText('3 of 3 runs failed in the last 24 hours').waitFor();
    await expect.poll(() => numberOf('running'), { timeout: 20_000 }).toBe('0running');
    expect(listUnexpected(requests)).toEqual([]);
  });

  it('of webhooks follow deliveries without a request for the list', { tags: 'full' }, async () => {
    const page = await signIn(factory.daemon, '/factories/payments/webhooks');
    const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
    const deliveriesOf = (name: string) => row(name).getByRole('img').getAttribute('aria-label');
    await expect.poll(() => deliveriesOf('ci')).toMatch(/^4 deliveries/);
    const lastOf = (name: string) => row(name).locator('time').first().getAttribute('datetime');
    const before = await lastOf('ci');
    const requests = recordRequests(page);
    await startRun();
    await expect.poll(() => lastOf('ci')).not.toBe(before);
    await expect.poll(() => deliveriesOf('ci'), { timeout: 20_000 }).toMatch(/^5 deliveries/);
    expect(await deliveriesOf('quiet')).toMatch(/^0 deliveries/);
    await row('quiet').getByText('never').waitFor();
    const { body } = await factory.daemon.api(`/factories/payments/webhooks/${factory.uid}`);
    expect(await lastOf('ci')).toBe(body.last_delivery_at);
    expect(listUnexpected(requests)).toEqual([]);
  });

  it('of automations follow the ends of runs, with requests for the list only', { tags: 'full' }, async () => {
    const page = await signIn(factory.daemon, '/factories/payments/automations');
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'build', exact: true }) });
    await row.getByText('failed').waitFor();
    const last = row.locator('time').first();
    const before = await last.getAttribute('datetime');
    const requests = recordRequests(page);
    await startRun();
    await expect.poll(() => last.getAttribute('datetime')).not.toBe(before);
    await row.getByText('failed').waitFor();
    const { body } = await factory.daemon.api('/factories/payments/automations/build');
    expect(await last.getAttribute('datetime')).toBe(body.results.last_run.finished_at);
    expect(requests.filter((path) => path !== '/api/v1/factories/payments/automations')).toEqual([]);
  });

  it('of a new automation replace "Never" when its first run starts', { tags: 'full' }, async () => {
    const trigger = {
      provider: 'webhook',
      event: 'received',
      filter: { webhooks: ['ci'], payload: { first: [true] } },
    };
    const created = { name: 'first', triggers: [trigger], prompt: 'Once.' };
    const page = await signIn(factory.daemon, '/factories/payments/automations');
    await page.getByRole('link', { name: 'build', exact: true }).waitFor();
    expect(
      (await factory.daemon.api('/factories/payments/automations', { method: 'POST', body: created })).status,
    ).toBe(201);
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'first', exact: true }) });
    await row.getByText('Never').waitFor();
    await factory.send('{"first": true}');
    await row.getByText('failed').waitFor();
  });
});
