import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt, moveTo } from '../../helpers/dashboard.ts';
import { openSession, signInByPassword } from '../../helpers/sign-in-by-password.ts';
import { startDaemonHere, type TestDaemon } from '../../helpers/test-daemon.ts';

const PASSWORD = 'correct horse battery';
const FRESH = 'staple of another kind';

describeDashboard('the account page', ({ signIn, openPage }) => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemonHere({ config: { factories: [{ name: 'payments', source: { type: 'live' } }] } });
    const body = { name: 'alice', role: 'viewer', factories: ['payments'], password: PASSWORD };
    expect((await daemon.api('/users', { method: 'POST', body })).status).toBe(201);
  });
  afterAll(() => daemon?.end('SIGTERM'));

  const signInAsAlice = async () => {
    const page = await openPage();
    await signInByPassword(page, daemon, 'alice', PASSWORD);
    return page;
  };

  it('opens from the account menu and shows permissions and sessions to a viewer', async () => {
    const readElsewhere = await openSession(daemon, 'alice', PASSWORD);
    const page = await signInAsAlice();
    await page.getByRole('heading', { name: 'payments', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Account' }).click();
    await lookAt(page, 'account-menu');
    await page.getByRole('menuitem', { name: 'Your account' }).click();
    const sessions = page.getByRole('table', { name: 'Your sessions' });
    await sessions.getByText('Current session').waitFor();
    await lookAt(page, 'account');
    await sessions.getByRole('button', { name: /^Sign out Chrome on Linux at / }).click();
    await page.getByText('You are signed in with this browser only.').waitFor();
    expect((await readElsewhere()).status).toBe(401);
    await page.reload();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
  });

  it('signs out other sessions after a confirmation', { tags: 'full' }, async () => {
    const readElsewhere = await openSession(daemon, 'alice', PASSWORD);
    const page = await signInAsAlice();
    await moveTo(page, '/account');
    await page.getByRole('button', { name: 'Sign out other sessions' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign out other sessions' });
    await dialog.getByText('signed out immediately').waitFor();
    await lookAt(page, 'account-sign-out-everywhere');
    await dialog.getByRole('button', { name: 'Sign out other sessions' }).click();
    await page.getByText('You are signed in with this browser only.').waitFor();
    expect((await readElsewhere()).status).toBe(401);
  });

  it('changes the password; this browser stays signed in, others do not', { tags: 'full' }, async () => {
    const readElsewhere = await openSession(daemon, 'alice', PASSWORD);
    const page = await signInAsAlice();
    await moveTo(page, '/account');
    const change = page.getByRole('button', { name: 'Change password' });
    const fill = async (current: string, fresh: string, repeated = fresh) => {
      await page.getByRole('textbox', { name: 'Current password' }).fill(current);
      await page.getByRole('textbox', { name: 'New password', exact: true }).fill(fresh);
      await page.getByRole('textbox', { name: 'Confirm new password' }).fill(repeated);
    };
    await fill(PASSWORD, FRESH, 'staple of another kin');
    await page.getByText('The passwords do not match').waitFor();
    await expect.poll(() => change.isDisabled()).toBe(true);
    await fill('not the password', FRESH);
    await change.click();
    await page.getByRole('alert').getByText('The current password is wrong').waitFor();
    await lookAt(page, 'account-password-refused');
    await fill(PASSWORD, FRESH);
    await change.click();
    await page.getByRole('status').getByText('Password changed').waitFor();
    await lookAt(page, 'account-password-changed');
    await expect.poll(() => page.getByRole('textbox', { name: 'Current password' }).inputValue()).toBe('');
    expect((await readElsewhere()).status).toBe(401);
    // Signing out needs the CSRF token of the new session.
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Dockbell' }).waitFor();
    await openSession(daemon, 'alice', FRESH);
  });

  it('links to the users page for a user without a password', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/account');
    await page.getByText('You signed in with a login link, which works once and has no password.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Change password' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Settings > Users' }).click();
    await page.getByRole('table', { name: 'Users' }).waitFor();
  });
});
