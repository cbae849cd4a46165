import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt } from '../helpers/dashboard.ts';
import { type DashboardFactory, startDashboardFactory } from '../helpers/dashboard-factory.ts';

const HOSTILE = '<img src=x onerror="globalThis.hasRun = true">';

describeDashboard('the workers of a factory', ({ signIn }) => {
  let factory: DashboardFactory;
  beforeAll(async () => {
    const runs = { executor: { type: 'queue' } };
    factory = await startDashboardFactory('', {
      factories: [{ name: 'payments', source: { type: 'live' }, runs }],
    });
  });
  afterAll(() => factory?.daemon.end('SIGTERM'));

  it('are listed with their labels and the runs that they hold', { tags: 'full' }, async () => {
    await factory.send(JSON.stringify({ start: true }));
    const worker = { id: 'gpu-1', name: HOSTILE, labels: ['gpu', 'linux'], version: '0.2.0' };
    const claim = { method: 'POST', body: { worker } };
    const { body } = await factory.daemon.api('/runs/claim', claim);
    const page = await signIn(factory.daemon, '/factories/payments/runs');
    const workers = page.getByRole('region', { name: 'Workers' });
    await workers.getByText(HOSTILE).waitFor();
    expect(await workers.textContent()).toContain('gpu, linux');
    await workers.getByText('online').waitFor();
    await lookAt(page, 'runs-workers');
    await workers.getByRole('link', { name: 'build' }).click();
    await page.waitForURL(`**/runs/${body.data[0].run.id}`);
  });
});
