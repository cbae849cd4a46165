import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt } from '../../helpers/dashboard.ts';
import { createWebhook } from '../../helpers/dashboard-factory.ts';
import { startDaemonHere, type TestDaemon } from '../../helpers/test-daemon.ts';

const LIST = '/factories/payments/automations';

describeDashboard('unsaved changes', ({ signIn, openPage }) => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemonHere({ config: { factories: [{ name: 'payments', source: { type: 'live' } }] } });
    await createWebhook(daemon, 'ci');
    const triggers = [{ provider: 'webhook', event: 'received', filter: { webhooks: ['ci'] } }];
    const body = { name: 'build', triggers, prompt: 'Build it.' };
    expect((await daemon.api(LIST, { method: 'POST', body })).status).toBe(201);
  });
  afterAll(() => daemon?.end('SIGTERM'));

  const question = (page: Page) => page.getByRole('dialog', { name: 'Discard changes?' });
  const answer = async (page: Page, words: 'Cancel' | 'Discard') => {
    await question(page).getByRole('button', { name: words, exact: true }).click();
    await question(page).waitFor({ state: 'detached' });
  };
  /** Opens the editor after two navigations, with an unsaved prompt. */
  const typeInEditor = async () => {
    const page = await signIn(daemon, LIST);
    await page.getByRole('link', { name: 'build', exact: true }).click();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('Unsaved.');
    return page;
  };
  const expectToBeStillThere = async (page: Page) => {
    await expect.poll(() => new URL(page.url()).pathname).toBe(`${LIST}/build/edit`);
    await expect.poll(() => page.getByRole('textbox', { name: 'Prompt' }).inputValue()).toBe('Unsaved.');
  };

  it('survive a link until the user discards them', { tags: 'full' }, async () => {
    const page = await typeInEditor();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await question(page).waitFor();
    await lookAt(page, 'unsaved');
    await answer(page, 'Cancel');
    await expectToBeStillThere(page);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await answer(page, 'Discard');
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
  });

  it('survive the back and forward buttons', { tags: 'full' }, async () => {
    const page = await typeInEditor();
    await page.evaluate('history.back()');
    await question(page).waitFor();
    await answer(page, 'Cancel');
    await expectToBeStillThere(page);
    await page.evaluate('history.back()');
    await answer(page, 'Discard');
    await page.getByRole('heading', { name: 'build', level: 1, exact: true }).waitFor();
    await page.evaluate('history.back()');
    await page.getByRole('heading', { name: 'Automations', level: 1 }).waitFor();
  });

  it('survive signing out', { tags: 'full' }, async () => {
    const page = await typeInEditor();
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await question(page).waitFor();
    await answer(page, 'Cancel');
    await expectToBeStillThere(page);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await answer(page, 'Discard');
    await page.getByRole('heading', { name: 'Sign in to Dockbell' }).waitFor();
  });

  it('make the browser ask before a reload', { tags: 'full' }, async () => {
    const page = await typeInEditor();
    const asked = page.waitForEvent('dialog');
    await page.evaluate('setTimeout(() => location.reload())');
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await expectToBeStillThere(page);
  });

  it('cause no question after saving or restoring the text', { tags: 'full' }, async () => {
    const page = await typeInEditor();
    const prompt = page.getByRole('textbox', { name: 'Prompt' });
    await prompt.fill('Build it.');
    await page.getByRole('link', { name: 'Skip to content' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
    await page.goto(`${daemon.adminUrl}${LIST}/build/edit`);
    await prompt.fill('Build it well.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'build', level: 1, exact: true }).waitFor();
    await page.getByRole('link', { name: 'Automations', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Automations', level: 1 }).waitFor();
  });

  it('are also guarded in the form of a new webhook', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/factories/payments/webhooks/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('half-typed');
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
    await answer(page, 'Cancel');
    await expect.poll(() => page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('half-typed');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByText('Copy the secret now').waitFor();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    const copyQuestion = page.getByRole('dialog', { name: 'Leave without copying?' });
    await copyQuestion.getByRole('button', { name: 'Cancel' }).click();
    await copyQuestion.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('heading', { name: 'half-typed', level: 1 }).waitFor();
  });

  it('are kept until the same user signs in again after the session has expired', { tags: 'full' }, async () => {
    const user = { name: 'maya', password: 'correct horse battery staple', role: 'owner', factories: null };
    expect((await daemon.api('/users', { method: 'POST', body: user })).status).toBe(201);
    const page = await openPage();
    const signInAsUser = async () => {
      await page.getByRole('textbox', { name: 'User name' }).fill(user.name);
      await page.getByRole('textbox', { name: 'Password' }).fill(user.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await page.goto(`${daemon.adminUrl}${LIST}/build/edit`);
    await signInAsUser();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('Unsaved.');
    await page.context().clearCookies();
    // Another request of the page may get the 401 first, which removes the button.
    const save = page.getByRole('button', { name: 'Save' });
    await save.click({ timeout: 5_000 }).catch(() => undefined);
    await page.getByText('Your unsaved changes are kept.').waitFor();
    await lookAt(page, 'session-ended');
    await signInAsUser();
    await expectToBeStillThere(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'build', level: 1, exact: true }).waitFor();
    await page.getByText('Unsaved.', { exact: true }).waitFor();
  });
});
