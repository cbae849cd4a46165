import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt } from '../../helpers/dashboard.ts';
import { startDaemonHere, type TestDaemon } from '../../helpers/test-daemon.ts';

const FACTORY = '/factories/ours';
const AUTOMATION = `${FACTORY}/automations/triage`;

describeDashboard('a managed factory', ({ signIn }) => {
  let daemon: TestDaemon;
  let sender: { url: string; secret: string };
  beforeAll(async () => {
    daemon = await startDaemonHere({ config: { factories: [{ name: 'ours', source: { type: 'managed' } }] } });
    const { status, body } = await daemon.api(`${FACTORY}/webhooks`, { method: 'POST', body: { name: 'issues' } });
    expect(status).toBe(201);
    sender = { url: body.ingress_url, secret: body.secret };
  });
  afterAll(() => daemon?.end('SIGTERM'));

  const prompt = (page: Page) => page.getByRole('textbox', { name: 'Prompt' });
  const editor = async () => {
    const page = await signIn(daemon, `${AUTOMATION}/edit`);
    await prompt(page).waitFor();
    return page;
  };
  const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click();
  const isShown = (page: Page) => page.getByRole('heading', { name: 'triage', level: 1, exact: true }).waitFor();
  const revisions = async () => {
    const page = await signIn(daemon, `${FACTORY}/reconciliations`);
    await page.getByRole('tab', { name: 'Revisions' }).click();
    await page.getByRole('table', { name: 'Revisions' }).waitFor();
    return page;
  };
  const readPrompt = async () => (await daemon.api(AUTOMATION)).body.prompt;

  it('creates, changes and deletes an automation', { tags: 'full' }, async () => {
    const page = await signIn(daemon, `${FACTORY}/automations`);
    await page.getByRole('link', { name: 'Add automation' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('triage');
    await page.getByRole('combobox', { name: 'Webhook received from' }).click();
    await page.getByRole('option', { name: 'issues' }).click();
    await page.keyboard.press('Escape');
    await prompt(page).fill('The first prompt.');
    await page.getByRole('button', { name: 'Create automation' }).click();
    await isShown(page);
    await page.getByRole('link', { name: 'Edit' }).click();
    await prompt(page).fill('The second prompt.');
    await save(page);
    await isShown(page);
    await page.getByText('The second prompt.', { exact: true }).waitFor();
    await expect.poll(() => readPrompt()).toBe('The second prompt.');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('triage');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete automation' }).click();
    await page.getByRole('heading', { name: 'No automations yet' }).waitFor();
    expect((await daemon.api(AUTOMATION)).status).toBe(404);
  });

  it('lists the changes with their authors, and reverts to an earlier revision', { tags: 'full' }, async () => {
    const page = await revisions();
    const rows = page.getByRole('row').filter({ hasText: 'triage' });
    for (const what of [/delete/i, /change|update/i, /create/i]) await rows.filter({ hasText: what }).first().waitFor();
    await lookAt(page, 'managed-history');
    await rows
      .filter({ hasText: /change|update/i })
      .getByRole('button', { name: 'Revert to this revision' })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByText(/delete/i)
      .first()
      .waitFor();
    await dialog.getByRole('button', { name: 'Revert', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => readPrompt()).toBe('The second prompt.');
    await page.getByRole('link', { name: 'Automations', exact: true }).click();
    await page.getByRole('link', { name: 'triage', exact: true }).click();
    await page.getByText('The second prompt.', { exact: true }).waitFor();
  });

  it('reports an edit conflict to the second user, and loses no edit', { tags: 'full' }, async () => {
    const mine = await editor();
    await prompt(mine).fill('What I think.');
    const triggers = [{ provider: 'webhook', event: 'received', filter: { webhooks: ['issues'] } }];
    const theirs = { triggers, prompt: 'What they think.' };
    expect((await daemon.api(AUTOMATION, { method: 'PUT', body: theirs })).status).toBe(200);
    await save(mine);
    await mine.getByText('Another user changed this automation while you were editing').waitFor();
    await mine.getByText('What they think.').waitFor();
    expect([await readPrompt(), await prompt(mine).inputValue()]).toEqual(['What they think.', 'What I think.']);
    await mine.getByRole('button', { name: 'Keep my version' }).click();
    await save(mine);
    await isShown(mine);
    await expect.poll(() => readPrompt()).toBe('What I think.');
    await mine.getByRole('link', { name: 'Reconciliations', exact: true }).click();
    await mine.getByRole('tab', { name: 'Revisions' }).click();
    await mine.getByRole('table', { name: 'Revisions' }).waitFor();
    await expect.poll(() => mine.getByRole('row').filter({ hasText: 'triage' }).count()).toBeGreaterThanOrEqual(5);
  });

  it('rotates with a new secret value, which the webhook uses after disabling and enabling', {
    tags: 'full',
  }, async () => {
    const post = async (secret: string) =>
      (await fetch(sender.url, { method: 'POST', headers: { authorization: `Bearer ${secret}` }, body: '{}' })).status;
    const page = await signIn(daemon, `${FACTORY}/webhooks`);
    await page.getByRole('link', { name: 'issues' }).click();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
    const dialog = page.getByRole('dialog');
    const command = (await dialog.getByRole('region', { name: 'command' }).textContent())!;
    expect(command).toBe('dockbell secret update --team ISSUES_WEBHOOK_SECRET');
    await lookAt(page, 'webhook-rotate-managed');
    await dialog.getByRole('button', { name: 'Done' }).click();
    const [, ...args] = command.split(' ');
    expect((await daemon.cli(...args, '--value', 'the-value-after-the-rotation')).code).toBe(0);
    expect([await post(sender.secret), await post('the-value-after-the-rotation')]).toEqual([202, 401]);
    await page.reload();
    await page.getByText('A newer version of the secret is stored').waitFor();
    await lookAt(page, 'webhook-outdated');
    for (const action of ['Disable', 'Enable']) {
      await page.getByRole('switch', { name: 'Enabled' }).click();
      await dialog.getByRole('button', { name: action }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    await page.getByText('A newer version of the secret is stored').waitFor({ state: 'detached' });
    expect([await post(sender.secret), await post('the-value-after-the-rotation')]).toEqual([401, 202]);
  });

  it('keeps an automation without its deleted webhook, and shows a warning', { tags: 'full' }, async () => {
    const page = await signIn(daemon, `${FACTORY}/webhooks`);
    await page.getByRole('link', { name: 'issues' }).click();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Automations that select it remain visible but stop firing from it.').waitFor();
    await dialog.getByRole('textbox').fill('issues');
    await dialog.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    await page.getByRole('link', { name: 'Automations', exact: true }).click();
    await page.getByRole('link', { name: 'triage', exact: true }).click();
    await page.getByText(/Needs attention|No delivery starts this automation/).waitFor();
    await lookAt(page, 'automation-without-webhook');
  });
});
