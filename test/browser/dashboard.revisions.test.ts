import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt } from '../helpers/dashboard.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

describeDashboard('the revisions of a managed factory', ({ signIn }) => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startTestDaemon({ config: { factories: [{ name: 'ours', source: { type: 'managed' } }] } });
    const make = (name: string) =>
      daemon.api('/factories/ours/webhooks', { method: 'POST', body: { name, auth_mode: 'token' } });
    for (const name of ['first', 'second']) expect((await make(name)).status).toBe(201);
  });
  afterAll(() => daemon?.end('SIGTERM'));

  it('are listed, and a revert shows what it deletes before it does', async () => {
    const page = await signIn(daemon, '/factories/ours/reconciliations');
    await page.getByRole('tab', { name: 'Revisions' }).click();
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
});
