import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt, moveTo, NARROW } from '../../helpers/dashboard.ts';
import { openSession, signInByPassword } from '../../helpers/sign-in-by-password.ts';
import { startDaemonHere, type TestDaemon } from '../../helpers/test-daemon.ts';

const PASSWORD = 'correct horse battery';

describeDashboard('the page of users', ({ signIn, openPage }) => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemonHere({ config: { factories: [{ name: 'payments', source: { type: 'live' } }] } });
  });
  afterAll(() => daemon?.end('SIGTERM'));

  const rowOf = (page: Page, name: string) =>
    page.getByRole('table', { name: 'Users' }).getByRole('row').filter({ hasText: name });
  const addUser = async (name: string, role: string) => {
    const { status, body } = await daemon.api('/users', { method: 'POST', body: { name, role, password: PASSWORD } });
    expect(status).toBe(201);
    return body as { id: string };
  };
  const choose = async (page: Page, name: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
    return page.getByRole('dialog');
  };
  const signInAs = async (name: string, password = PASSWORD) => {
    const page = await openPage();
    await signInByPassword(page, daemon, name, password);
    return page;
  };

  it('explains how to add the first user; the generated password is shown once, and works', async () => {
    const page = await signIn(daemon, '/settings/users');
    await page.getByRole('heading', { name: 'No users yet' }).waitFor();
    await page.getByRole('button', { name: 'Add user' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add user' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('alice');
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'owner' }).click();
    await lookAt(page, 'users-add');
    await dialog.getByRole('button', { name: 'Add user' }).click();
    const password = (await dialog.getByRole('region', { name: 'password' }).textContent())!;
    await lookAt(page, 'users-new-password');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await rowOf(page, 'alice').getByText('never').waitFor();
    await page.reload();
    await rowOf(page, 'alice').waitFor();
    await expect.poll(() => page.content()).not.toContain(password);
    const alice = await signInAs('alice', password);
    await moveTo(alice, '/settings/users');
    await rowOf(alice, 'alice').getByText('you').waitFor();
  });

  it('does not change the role of the last owner, and does not disable or delete them', {
    tags: ['full', 'continues'],
  }, async () => {
    const page = await signIn(daemon, '/settings/users');
    for (const action of ['Role and factories', 'Disable', 'Delete']) {
      const dialog = await choose(page, 'alice', action);
      await dialog.getByText('make another user an owner').waitFor();
      if (action === 'Delete') await lookAt(page, 'users-last-owner');
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await dialog.waitFor({ state: 'detached' });
    }
  });

  it('adds a user with an entered password, limited to a factory, and rejects a short password', {
    tags: 'full',
  }, async () => {
    const page = await signIn(daemon, '/settings/users');
    await page.getByRole('button', { name: 'Add user' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add user' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('bob');
    await dialog.getByRole('combobox', { name: 'Factories' }).click();
    await page.getByRole('option', { name: 'payments' }).click();
    // Closes the list of factories.
    await dialog.getByRole('textbox', { name: 'Name' }).click();
    await dialog.getByText('Enter a password').click();
    await dialog.getByRole('textbox', { name: 'Password' }).fill('short');
    await dialog.getByRole('button', { name: 'Add user' }).click();
    await dialog.getByRole('alert').getByText('12 to 256 characters').waitFor();
    await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Add user' }).click();
    await dialog.getByText('User bob was added with the role viewer.').waitFor();
    await expect.poll(() => dialog.getByRole('region', { name: 'password' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await rowOf(page, 'bob').getByText('payments').waitFor();
    const bob = await signInAs('bob');
    await moveTo(bob, '/settings/users');
    await bob.getByRole('heading', { name: 'Users require the owner role' }).waitFor();
    await expect.poll(() => bob.getByRole('main').getByRole('button').count()).toBe(0);
    await lookAt(bob, 'users-viewer');
  });

  it('changes the role of a user who stays signed in', { tags: 'full' }, async () => {
    await addUser('carol', 'viewer');
    const readCarol = await openSession(daemon, 'carol', PASSWORD);
    const page = await signIn(daemon, '/settings/users');
    const dialog = await choose(page, 'carol', 'Role and factories');
    await expect.poll(() => dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'owner' }).click();
    await dialog.getByText('carol stays signed in').waitFor();
    await lookAt(page, 'users-access');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'carol').getByRole('cell', { name: 'owner' }).waitFor();
    expect(await readCarol()).toMatchObject({ status: 200, body: { user: { role: 'owner' } } });
  });

  it('resets a password after showing the number of signed-in browsers', { tags: 'full' }, async () => {
    await addUser('dave', 'viewer');
    const readDave = await openSession(daemon, 'dave', PASSWORD);
    const page = await signIn(daemon, '/settings/users');
    const dialog = await choose(page, 'dave', 'Reset password');
    await dialog.getByText('dave is signed out of 1 browser immediately.').waitFor();
    await lookAt(page, 'users-reset');
    await dialog.getByRole('button', { name: 'Reset password' }).click();
    const password = (await dialog.getByRole('region', { name: 'password' }).textContent())!;
    await dialog.getByRole('button', { name: 'Done' }).click();
    expect((await readDave()).status).toBe(401);
    await page.reload();
    await rowOf(page, 'dave').waitFor();
    await expect.poll(() => page.content()).not.toContain(password);
    await openSession(daemon, 'dave', password);
  });

  it('shows the sessions of a user, and ends them', { tags: 'full' }, async () => {
    await addUser('erin', 'viewer');
    const erin = await signInAs('erin');
    const page = await signIn(daemon, '/settings/users');
    const dialog = await choose(page, 'erin', 'Sessions');
    await dialog.getByRole('table', { name: 'Sessions of erin' }).getByText('Chrome on Linux').waitFor();
    await lookAt(page, 'users-sessions');
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).click();
    await dialog.waitFor({ state: 'detached' });
    await erin.reload();
    await erin.getByRole('heading', { name: 'Sign in to Dockbell' }).waitFor();
  });

  it('disables, enables and deletes after a confirmation', { tags: 'full' }, async () => {
    await addUser('frank', 'manager');
    const page = await signIn(daemon, '/settings/users');
    const disabling = await choose(page, 'frank', 'Disable');
    await disabling.getByText('frank is not signed in anywhere').waitFor();
    await lookAt(page, 'users-disable');
    await disabling.getByRole('button', { name: 'Disable user' }).click();
    await rowOf(page, 'frank').getByText('disabled').waitFor();
    const rejected = await openPage();
    await rejected.goto(daemon.adminUrl);
    await rejected.getByRole('textbox', { name: 'User name' }).fill('frank');
    await rejected.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await rejected.getByRole('button', { name: 'Sign in' }).click();
    await rejected.getByRole('alert').waitFor();
    const enabling = await choose(page, 'frank', 'Enable');
    await enabling.getByText('with the same password').waitFor();
    await enabling.getByRole('button', { name: 'Enable user' }).click();
    await rowOf(page, 'frank').getByText('disabled').waitFor({ state: 'detached' });
    await openSession(daemon, 'frank', PASSWORD);
    const deleting = await choose(page, 'frank', 'Delete');
    await deleting.getByText('signed out of 1 browser immediately').waitFor();
    await expect.poll(() => deleting.getByRole('button', { name: 'Delete user' }).isDisabled()).toBe(true);
    await deleting.getByRole('textbox', { name: 'Type frank to confirm' }).fill('frank');
    await lookAt(page, 'users-delete');
    await deleting.getByRole('button', { name: 'Delete user' }).click();
    await rowOf(page, 'frank').waitFor({ state: 'detached' });
    await lookAt(page, 'users');
    await page.setViewportSize(NARROW);
    await lookAt(page, 'users-narrow');
  });

  it('asks before users remove their own permissions, and then signs them out', { tags: 'full' }, async () => {
    await addUser('grace', 'owner');
    const grace = await signInAs('grace');
    await moveTo(grace, '/settings/users');
    const dialog = await choose(grace, 'grace', 'Role and factories');
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await grace.getByRole('option', { name: 'manager' }).click();
    await dialog.getByText('This is your own account').waitFor();
    await expect.poll(() => dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await lookAt(grace, 'users-own-access');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    const disabling = await choose(grace, 'grace', 'Disable');
    await disabling.getByText('only another owner can enable it again').waitFor();
    await disabling.getByRole('textbox', { name: 'Type grace to confirm' }).fill('grace');
    await disabling.getByRole('button', { name: 'Disable user' }).click();
    await grace.getByRole('heading', { name: 'Sign in to Dockbell' }).waitFor();
  });

  it('works with the keyboard', { tags: 'full' }, async () => {
    await addUser('heidi', 'viewer');
    const page = await signIn(daemon, '/settings/users');
    await page.getByRole('button', { name: 'Actions for heidi' }).focus();
    const focused = page.locator('button[aria-label="Actions for heidi"]:focus');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Role and factories' }).waitFor();
    await page.keyboard.press('Escape');
    await focused.waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Role and factories' }).waitFor();
    // The menu takes the focus a moment after it opens, and moves it a moment after a key.
    await page.locator('[role=menu]:focus, [role=menuitem]:focus').first().waitFor();
    const readFocused = () => page.evaluate<string>('document.activeElement.textContent');
    for (let at = await readFocused(); at !== 'Reset password'; at = await readFocused()) {
      await page.keyboard.press('ArrowDown');
      await expect.poll(readFocused).not.toBe(at);
    }
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Reset the password of heidi' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await focused.waitFor();
  });
});
