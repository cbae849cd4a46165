import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAtBothThemes, NARROW } from '../../helpers/dashboard.ts';
import { type DashboardFactory, startDashboardFactory } from '../../helpers/dashboard-factory.ts';

const SCRIPT = '<img src=x onerror="globalThis.hasRun = true">\u001b[31m';

describeDashboard('the story of a delivery', ({ signIn }) => {
  let factory: DashboardFactory;
  beforeAll(async () => {
    factory = await startDashboardFactory('wait end\nexit 3');
  });
  afterAll(() => factory?.daemon.end('SIGTERM'));

  it('follows its run without a reload, and escapes what the sender wrote', { tags: 'full' }, async () => {
    await factory.send('{"start": true}', { 'x-service-delivery-id': 'live-1', 'user-agent': SCRIPT.slice(0, -5) });
    const { body } = await factory.daemon.api('/factories/payments/deliveries?limit=1');
    const page = await signIn(factory.daemon, `/factories/payments/deliveries/${body.data[0].id}`);
    const story = page.getByRole('region', { name: 'What happened' });
    await story.getByText('The run of build is running.').waitFor();
    const loaded = await page.evaluate('performance.timeOrigin');
    factory.signal('end');
    await story.getByText('The command ended with exit code 3.').first().waitFor();
    expect(await page.evaluate('performance.timeOrigin')).toBe(loaded);
    const replay = await factory.daemon.api(`/deliveries/${body.data[0].id}/replay`, { method: 'POST', body: {} });
    expect(replay.status).toBe(201);
    await story.getByText('It was replayed once by admin-token').waitFor();
    await lookAtBothThemes(page, 'story');
    await page.setViewportSize(NARROW);
    await lookAtBothThemes(page, 'story-narrow');
    expect(await page.evaluate('globalThis.hasRun')).toBeUndefined();
    await story
      .getByRole('link', { name: /^run run_/ })
      .first()
      .click();
    await page.waitForURL(/runs\/run_/);
    await story.getByText('The run of build failed').waitFor();
  });
});
