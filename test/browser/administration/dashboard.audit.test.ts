import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt, NARROW } from '../../helpers/dashboard.ts';
import { signInByPassword } from '../../helpers/sign-in-by-password.ts';
import { startDaemonHere, type TestDaemon } from '../../helpers/test-daemon.ts';

const PASSWORD = 'correct horse battery';
const HOSTILE = '<img src=x onerror="window.hit=1">\u202e';

describeDashboard('the audit log', ({ signIn, openPage }) => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemonHere({ config: { factories: [{ name: 'payments', source: { type: 'live' } }] } });
    const post = (path: string, body: object) => daemon.api(path, { method: 'POST', body });
    await post('/users', { name: 'alice', role: 'owner', password: PASSWORD });
    await post('/users', { name: 'bob', role: 'viewer', password: PASSWORD });
    await post('/tokens', { name: HOSTILE, role: 'viewer' });
    await post('/factories/payments/webhooks', { name: 'ci' });
    await post('/session', { username: 'alice', password: 'wrong' });
    await daemon.api('/secrets/API_KEY?mode=create', { method: 'PUT', body: { value: 'the-secret-of-the-team' } });
  });
  afterAll(() => daemon?.end('SIGTERM'));

  const rows = (page: Page) => page.getByRole('table', { name: 'Audit log' }).getByRole('row');
  const pick = async (page: Page, label: string, option: string) => {
    await page.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };

  it('shows actor, action, object, IP address and time of each entry, and its details', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/settings/audit');
    await rows(page).filter({ hasText: 'Add user' }).filter({ hasText: 'alice' }).waitFor();
    const store = rows(page).filter({ hasText: 'Store secret' });
    await store.getByText('API_KEY').waitFor();
    await store.getByRole('button', { name: /^Details: Store secret/ }).click();
    await page.getByText('set (not shown)').waitFor();
    await page
      .getByText(/\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      .first()
      .waitFor();
    await lookAt(page, 'audit-details');
    await expect.poll(() => page.content()).not.toContain('the-secret-of-the-team');
    await page.setViewportSize(NARROW);
    await lookAt(page, 'audit-narrow');
  });

  it('shows exact times on hover', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/settings/audit');
    const time = page.getByRole('table', { name: 'Audit log' }).locator('time').first();
    const exact = page.getByRole('tooltip').getByText(/\d{4}-\d\d-\d\dT[\d:.]+Z/);
    for (let i = 0; i < 2; i += 1) {
      await time.hover();
      await exact.waitFor();
      await page.mouse.move(0, 0);
      await exact.waitFor({ state: 'detached' });
    }
    await time.hover();
    await exact.waitFor();
    await page.keyboard.press('Escape');
    await exact.waitFor({ state: 'detached' });
  });

  it('shows hostile names as text', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/settings/audit?object=tokens');
    const made = rows(page).filter({ hasText: 'Create API token' });
    await made.getByText('<img src=x').first().waitFor();
    await made.getByRole('button', { name: /^Details/ }).click();
    await page.getByText('\\u{202e}').first().waitFor();
    await lookAt(page, 'audit-hostile');
    expect(await page.evaluate('window.hit')).toBeUndefined();
  });

  it('is filtered by actor, object, outcome and time, and keeps the filter in the URL', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/settings/audit');
    await pick(page, 'Object', 'Sign-in and sign-out');
    await pick(page, 'Outcome', 'refused');
    await rows(page).filter({ hasText: 'Unknown' }).waitFor();
    await expect.poll(() => rows(page).count()).toBe(2);
    await expect.poll(() => new URL(page.url()).search).toBe('?object=session&outcome=refused');
    await page.reload();
    await rows(page).filter({ hasText: 'Unknown' }).waitFor();
    await page.getByLabel('To', { exact: true }).fill('2020-01-01T00:00');
    await page.getByRole('heading', { name: 'No matching entries' }).waitFor();
    await lookAt(page, 'audit-none');
    await page.getByRole('button', { name: 'Show all entries' }).click();
    await rows(page).filter({ hasText: 'Add webhook' }).waitFor();
    await rows(page)
      .filter({ hasText: 'Add webhook' })
      .getByRole('button', { name: /^Details/ })
      .click();
    await page.getByRole('button', { name: 'Show all actions on this object' }).click();
    await rows(page).filter({ hasText: 'Store secret' }).waitFor({ state: 'detached' });
    await rows(page).filter({ hasText: 'payments / ci' }).waitFor();
  });

  it('shows reads on request, and keeps the choice in the URL', { tags: 'full' }, async () => {
    const [{ uid }] = (await daemon.api('/factories/payments/webhooks')).body.data;
    const sent = { payload_base64: Buffer.from('{}').toString('base64') };
    await daemon.api(`/factories/payments/webhooks/${uid}/test-deliveries`, { method: 'POST', body: sent });
    const [{ id }] = (await daemon.api('/factories/payments/deliveries')).body.data;
    expect((await daemon.api(`/deliveries/${id}/payload`)).status).toBe(200);
    const page = await signIn(daemon, '/settings/audit');
    await rows(page).filter({ hasText: 'Add webhook' }).waitFor();
    expect(await rows(page).filter({ hasText: 'Read payload' }).count()).toBe(0);
    await pick(page, 'Entries', 'Reads');
    await rows(page).filter({ hasText: 'Read payload' }).filter({ hasText: id }).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('?include=reads');
    await lookAt(page, 'audit-reads');
  });

  it('opens from a user, with the actions of that user', { tags: 'full' }, async () => {
    const alice = await openPage();
    await signInByPassword(alice, daemon, 'alice', PASSWORD);
    await alice.getByRole('link', { name: 'Settings' }).click();
    await alice.getByRole('tab', { name: 'Users' }).click();
    await alice.getByRole('button', { name: 'Actions for alice' }).click();
    await alice.getByRole('menuitem', { name: 'View audit log' }).click();
    await rows(alice).filter({ hasText: 'Sign in' }).waitFor();
    await expect.poll(() => rows(alice).filter({ hasText: 'Add user' }).count()).toBe(0);
    await expect.poll(() => alice.getByRole('combobox', { name: 'Actor' }).inputValue()).toBe('alice');
  });

  it('has pages', { tags: 'full' }, async () => {
    for (let index = 0; index < 50; index++) await daemon.api('/login-links', { method: 'POST' });
    const page = await signIn(daemon, '/settings/audit');
    await rows(page).filter({ hasText: 'Make login link' }).first().waitFor();
    await expect.poll(() => rows(page).count()).toBe(51);
    await page.getByRole('button', { name: 'Older' }).click();
    await rows(page).filter({ hasText: 'Store secret' }).waitFor();
    await page.getByRole('button', { name: 'Newest' }).click();
    await rows(page).filter({ hasText: 'Store secret' }).waitFor({ state: 'detached' });
  });

  it('explains the missing role to a viewer', { tags: 'full' }, async () => {
    const page = await openPage();
    await signInByPassword(page, daemon, 'bob', PASSWORD);
    await page.goto(`${daemon.adminUrl}/settings/audit`);
    await page.getByRole('heading', { name: 'The audit log requires the owner role' }).waitFor();
    await expect.poll(() => page.getByRole('main').getByRole('button').count()).toBe(0);
    await lookAt(page, 'audit-viewer');
  });
});
