import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt } from '../../helpers/dashboard.ts';
import { createTempDir } from '../../helpers/temp-dir.ts';
import { startDaemonHere, type TestDaemon } from '../../helpers/test-daemon.ts';

const live = (name: string) => ({ name, source: { type: 'live' } });

describeDashboard('the page of a factory that the configuration no longer names', ({ signIn }) => {
  let daemon: TestDaemon;
  let uid: string;
  beforeAll(async () => {
    const dataDir = createTempDir('removed-factory');
    daemon = await startDaemonHere({ dataDir, config: { factories: [live('web'), live('old')] } });
    const created = await daemon.cli('webhook', 'create', 'ci', '--factory', 'web', '--json');
    uid = JSON.parse(created.stdout).uid;
    await daemon.end('SIGTERM');
    daemon = await startDaemonHere({ dataDir, config: { factories: [live('shop')] } });
    await daemon.cli('reconcile', '--wait', '--factory', 'shop');
  });
  afterAll(() => daemon?.end('SIGTERM'));

  const heading = (name: string) => ({ name, level: 1, exact: true });

  it('forgets it', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/factories/old');
    await page.getByText('The configuration no longer names this factory').waitFor();
    await lookAt(page, 'removed-factory');
    await page.getByRole('button', { name: 'Forget' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Their URLs never work again').waitFor();
    await dialog.getByLabel('Type old to confirm').fill('old');
    await dialog.getByRole('button', { name: 'Forget factory' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const listed = (await daemon.api('/factories')).body.data.map(({ name }: { name: string }) => name);
    expect(listed).toEqual(['shop', 'web']);
  });

  it('renames it, and its webhooks keep their URLs', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/factories/web');
    await page.getByRole('button', { name: 'Rename to …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 webhook of web keeps its URL and belongs to shop').waitFor();
    await lookAt(page, 'rename-factory');
    await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByRole('heading', heading('shop')).waitFor();
    await page.goto(`${daemon.adminUrl}/factories/shop/webhooks/${uid}`);
    await page.getByRole('heading', heading('ci')).waitFor();
  });
});
