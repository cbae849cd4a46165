import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt } from '../../helpers/dashboard.ts';
import { startDaemonHere, type TestDaemon } from '../../helpers/test-daemon.ts';

describeDashboard('the revisions of a managed factory', ({ signIn }) => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemonHere({
      config: {
        factories: [
          { name: 'ours', source: { type: 'managed' } },
          { name: 'rows', source: { type: 'live' } },
        ],
      },
    });
    const make = (name: string) =>
      daemon.api('/factories/ours/webhooks', { method: 'POST', body: { name, auth_mode: 'token' } });
    for (const name of ['first', 'second']) expect((await make(name)).status).toBe(201);
  });
  afterAll(() => daemon?.end('SIGTERM'));

  it('are listed, and a revert shows its deletions first', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/factories/ours/reconciliations');
    await page.getByRole('tab', { name: 'Revisions' }).click();
    await page.reload();
    const row = page.getByRole('row').filter({ hasText: 'Create the webhook first' });
    await lookAt(page, 'revisions');
    await row.getByRole('button').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Create the webhook second').waitFor();
    const preview = dialog.getByRole('region', { name: 'Preview' });
    await preview.getByText('delete', { exact: true }).waitFor();
    await expect.poll(() => preview.getByText('create', { exact: true }).count()).toBe(0);
    await lookAt(page, 'revert');
    await dialog.getByRole('button', { name: 'Revert', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await row.first().waitFor();
    const { body } = await daemon.api('/factories/ours/webhooks');
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['first']);
  });

  it('show the same number of reconciliations after a reload and after going back', { tags: 'full' }, async () => {
    for (let i = 0; i < 26; i += 1) {
      const { body } = await daemon.api('/factories/rows/webhooks', { method: 'POST', body: { name: `w${i}` } });
      expect((await daemon.api(`/factories/rows/webhooks/${body.uid}`, { method: 'DELETE' })).status).toBe(204);
    }
    const page = await signIn(daemon, '/factories/rows/reconciliations');
    const rows = page.getByRole('table', { name: 'Reconciliations' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(51);
    await page.getByRole('button', { name: 'Show older' }).click();
    await expect.poll(() => rows.count()).toBeGreaterThan(51);
    const all = await rows.count();
    await page.reload();
    await expect.poll(() => rows.count()).toBe(all);
    await rows.last().getByRole('link').first().click();
    await page.getByText('Another revision is live now.').waitFor();
    await page.reload();
    await page.goBack();
    await expect.poll(() => rows.count()).toBe(all);
  });
});
