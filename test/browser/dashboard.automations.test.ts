import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt, moveTo, NARROW } from '../helpers/dashboard.ts';
import { eventually } from '../helpers/eventually.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const PAYLOADS = [
  { action: 'created', data: { issue: { level: 'warning', title: 'Slow' } } },
  { action: 'created', data: { issue: { level: 'fatal', title: '<script>alert(1)</script>' } } },
];
const FILTER = { data: { issue: { level: ['fatal', 'error'] } } };
const THEIRS = `---
description: Looks into fatal errors
triggers:
  - provider: webhook
    event: received
    filter:
      webhooks: [theirs]
---
Find the cause.
`;

describeDashboard('the automation pages', ({ signIn }) => {
  let daemon: TestDaemon;
  let repo: TempGitRepo;
  beforeAll(async () => {
    repo = await createTempGitRepo();
    await repo.commit({ 'webhooks/theirs.yaml': 'secretName: THEIRS\n', 'automations/watch/automation.md': THEIRS });
    const types = { rows: { type: 'live' }, empty: { type: 'live' }, theirs: { type: 'repository', url: repo.path } };
    const factories = Object.entries(types).map(([name, source]) => ({ name, source }));
    daemon = await startDaemonHere({ config: { factories } });
    await daemon.cli('secret', 'create', 'THEIRS', '--factory', 'theirs', '--value', 'the-secret-of-the-team');
    expect((await daemon.cli('reconcile', '--factory', 'theirs', '--wait')).code).toBe(0);
    await receive(daemon, 'issues', PAYLOADS);
  });
  afterAll(async () => {
    await daemon?.end('SIGTERM');
    repo?.remove();
  });

  it('explain the first step in an empty factory', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/factories/empty/automations');
    await page.getByRole('heading', { name: 'No automations yet' }).waitFor();
    await lookAt(page, 'automations-empty');
    await page.getByRole('link', { name: 'Add automation' }).click();
    await page.getByRole('heading', { name: 'Add a webhook first' }).waitFor();
  });

  it('create an automation with a filter whose keys and values are completed from stored deliveries', async () => {
    const page = await signIn(daemon, '/factories/rows/automations/~new');
    await page.getByRole('textbox', { name: 'Name' }).fill('triage');
    await choose(page, 'issues');
    const filter = page.getByRole('textbox', { name: 'Payload filter' });
    await filter.click();
    await page.getByText('Press Ctrl+Space for keys').waitFor();
    await page.keyboard.type('{');
    await page.keyboard.press('Control+Space');
    await complete(page, /^data/, /^issue/);
    await complete(page, /^issue/, /^level/);
    await lookAt(page, 'automation-completion');
    await complete(page, /^level/, /^fatal/);
    await complete(page, /^fatal/, null);
    await expect.poll(() => readEditor(page)).toBe('{"data": {"issue": {"level": ["fatal"]}}}');
    await page.getByRole('textbox', { name: 'Prompt' }).fill('Find the cause.\n\nThen fix it.');
    await page.getByRole('button', { name: 'Create automation' }).click();
    await page.getByRole('heading', { name: 'triage', level: 1, exact: true }).waitFor();
    const { body } = await daemon.api('/factories/rows/automations/triage');
    expect(body.triggers[0].filter).toMatchObject({
      webhooks: ['issues'],
      payload: { data: { issue: { level: ['fatal'] } } },
    });
  });

  it('show problems of a filter at their position while typing', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/factories/rows/automations/~new');
    await writeFilter(page, '{"data": {\n  "level": []\n}}');
    await page.getByText('Line 2: The list of "in" is empty.').waitFor();
    await expect.poll(() => page.locator('.cm-lintRange-error').textContent()).toBe('"level"');
    await lookAt(page, 'automation-invalid-filter');
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/filters/test', (route) => isAnswered.then(() => route.continue()), { times: 1 });
    const [asked, answered] = [page.waitForRequest('**/filters/test'), page.waitForResponse('**/filters/test')];
    await writeFilter(page, '{"level": ["late"]}');
    await asked;
    await writeFilter(page, '{"level": ["a"}');
    await page.getByText('Line 1: Invalid JSON').waitFor();
    // A response for an earlier text changes nothing.
    answer();
    await (await answered).finished();
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await expect.poll(() => page.getByText('Line 1: Invalid JSON').count()).toBe(1);
    await writeFilter(page, '{"level": ["a"], "level": ["b"]}');
    await page.getByText('Line 1: The key "level" is duplicated.').waitFor();
    await writeFilter(page, '{"level": ["a"]}');
    await page.getByText('Line 1:').waitFor({ state: 'detached' });
  });

  it('test a filter with a stored delivery and a pasted payload, and name the deciding key', {
    tags: 'full',
  }, async () => {
    const page = await signIn(daemon, '/factories/rows/automations/~new');
    await choose(page, 'issues');
    await writeFilter(page, JSON.stringify(FILTER));
    await page.getByRole('button', { name: 'Test filter' }).click();
    const result = page.getByRole('status', { name: 'Test result' });
    await result.getByText('Would trigger', { exact: true }).waitFor();
    await lookAt(page, 'automation-would-trigger');
    await page.getByText('Pasted payload').click();
    await page.getByRole('textbox', { name: 'Payload', exact: true }).click();
    await page.keyboard.insertText(JSON.stringify(PAYLOADS[0]));
    await result.getByText('Would not trigger', { exact: true }).waitFor();
    await result.getByText('data.issue.level', { exact: true }).waitFor();
    await expect
      .poll(() => result.getByRole('listitem').allTextContents())
      .toContainEqual(expect.stringContaining('data.issue.level is "warning", expected one of "fatal", "error"'));
    await lookAt(page, 'automation-would-not-trigger');
  });

  it('use webhooks that were added in the meantime, and backtest a changed filter before saving', {
    tags: 'full',
  }, async () => {
    const page = await signIn(daemon, '/factories/rows/automations/~new');
    await page.getByRole('combobox', { name: 'Webhook received from' }).waitFor();
    await moveTo(page, '/secrets');
    await receive(daemon, 'builds', [{ ok: true }, { ok: false }, { ok: true, attempt: 2 }]);
    const triggers = [{ provider: 'webhook', event: 'received', filter: { webhooks: ['builds'] } }];
    const path = '/factories/rows/automations/fix';
    expect((await daemon.api(path, { method: 'PUT', body: { triggers, prompt: 'Fix it.' } })).status).toBe(201);
    await moveTo(page, `${path}/edit`);
    await writeFilter(page, '{"ok": [false]}');
    await page.getByRole('button', { name: 'Run backtest' }).click();
    const result = page.getByRole('status', { name: 'Backtest result' });
    await result.getByText('3 starts → 1').waitFor();
    await result.getByText('Evaluated all 3 stored deliveries.').waitFor();
    await result.getByText('2 lost').waitFor();
    await expect.poll(() => result.getByText('ok is true, expected false').count()).toBe(2);
    await lookAt(page, 'automation-backtest');
    await writeFilter(page, '{"ok": [false, true]}');
    await result.getByText('3 starts → 3').waitFor();
    await page.getByRole('switch', { name: 'Enabled' }).click();
    await result.getByText('3 starts → 0').waitFor();
    await result.getByText('no trigger starts it now').first().waitFor();
  });

  it('keep unsaved input when another user saved first', { tags: 'full' }, async () => {
    const path = '/factories/rows/automations/shared';
    await write(daemon, path, 'The first prompt.');
    const mine = await signIn(daemon, `${path}/edit`);
    const prompt = mine.getByRole('textbox', { name: 'Prompt' });
    await prompt.fill('My prompt.');
    await write(daemon, path, 'Their prompt.');
    await mine.getByRole('button', { name: 'Save' }).click();
    await mine.getByText('Another user changed this automation while you were editing').waitFor();
    await mine.getByText('Their prompt.').waitFor();
    await expect.poll(() => prompt.inputValue()).toBe('My prompt.');
    await lookAt(mine, 'automation-conflict');
    await mine.getByRole('button', { name: 'Keep my version' }).click();
    await mine.getByRole('button', { name: 'Save' }).click();
    await mine.getByRole('heading', { name: 'shared', level: 1, exact: true }).waitFor();
    expect((await daemon.api(path)).body.prompt).toBe('My prompt.');
  });

  it('load the version of another user on request', { tags: 'full' }, async () => {
    const path = '/factories/rows/automations/taken';
    await write(daemon, path, 'The first prompt.');
    const page = await signIn(daemon, `${path}/edit`);
    await page.getByRole('textbox', { name: 'Prompt' }).fill('My prompt.');
    await write(daemon, path, 'Their prompt.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Use their version' }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'Prompt' }).inputValue()).toBe('Their prompt.');
  });

  it('pause and resume an automation, and its factory, with a reason that the overview shows', {
    tags: ['full', 'continues'],
  }, async () => {
    const page = await signIn(daemon, '/factories/rows/automations/triage');
    const asked = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Pause' }).click();
    await asked.getByRole('textbox', { name: 'Reason' }).fill('It opens <b>too many</b> issues');
    await asked.getByRole('button', { name: 'Pause' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Paused: no run starts' });
    await alert.getByText('It opens <b>too many</b> issues').waitFor();
    await lookAt(page, 'automation-paused');
    await page.getByRole('button', { name: 'Resume' }).click();
    await asked.getByRole('button', { name: 'Resume' }).click();
    await alert.waitFor({ state: 'detached' });

    await moveTo(page, '/factories/rows');
    await page.getByRole('button', { name: 'Pause' }).click();
    await asked.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('alert').filter({ hasText: 'Runs are paused' }).waitFor();
    await lookAt(page, 'overview-paused');
    await page.getByRole('button', { name: 'Resume' }).click();
    await asked.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Runs are paused').waitFor({ state: 'detached' });
  });

  it('disable, enable and delete after a confirmation', { tags: 'full' }, async () => {
    const path = '/factories/rows/automations/switched';
    await write(daemon, path, 'A prompt.');
    const page = await signIn(daemon, path);
    const toggle = page.getByRole('switch', { name: 'Enabled' });
    await toggle.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Deliveries no longer start this automation.').waitFor();
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('alert').getByText('The automation is disabled.').waitFor();
    expect((await daemon.api(path)).body.enabled).toBe(false);
    await toggle.click();
    await dialog.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('alert').getByText('The automation is disabled.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('textbox').fill('switched');
    await lookAt(page, 'automation-delete');
    await dialog.getByRole('button', { name: 'Delete automation' }).click();
    await page.getByRole('heading', { name: 'Automations', level: 1 }).waitFor();
    expect((await daemon.api(path)).status).toBe(404);
  });

  it('show the file to edit and its YAML if the factory is managed in Git', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/factories/theirs/automations/watch');
    await page.getByText('Managed in Git').waitFor();
    await page.getByText('automations/watch/automation.md:7').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await lookAt(page, 'automation-read-only');
    await page.getByRole('link', { name: 'Try changes' }).click();
    await writeFilter(page, JSON.stringify(FILTER));
    const yaml = page.getByRole('region', { name: 'YAML for the file' });
    await yaml.getByText('- fatal').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    await lookAt(page, 'automation-playground');
  });

  it('list automations with triggers, state and last run', { tags: 'full' }, async () => {
    await write(daemon, '/factories/rows/automations/listed', 'A prompt.');
    await receive(daemon, 'issues', [{ action: 'listed' }]);
    const page = await signIn(daemon, '/factories/rows/automations');
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'listed', exact: true }) });
    await row.getByText('Webhook received from issues').waitFor();
    await row.getByText('queued').waitFor();
  });

  it('replace a selected filter completely when typing', { tags: 'full' }, async () => {
    const payload = { action: ['opened'], issue: { state: { in: ['open', 'reopened'] } } };
    const triggers = [{ provider: 'webhook', event: 'received', filter: { webhooks: ['issues'], payload } }];
    const body = { triggers, prompt: 'A prompt.' };
    await receive(daemon, 'issues', [{ action: 'typed over' }]);
    expect((await daemon.api('/factories/rows/automations/typed-over', { method: 'PUT', body })).status).toBe(201);
    const page = await signIn(daemon, '/factories/rows/automations/typed-over/edit');
    const editor = page.getByRole('textbox', { name: 'Payload filter' });
    await editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('{"action": ["closed"');
    await expect.poll(() => editor.textContent()).toBe('{"action": ["closed"]}');
  });

  it('let the keyboard leave the editor after Escape', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/factories/rows/automations/~new');
    await page.getByRole('textbox', { name: 'Payload filter' }).focus();
    await page.keyboard.type('x');
    await page.keyboard.press('Tab');
    await expectFocus(page, 'Payload filter', true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await expectFocus(page, 'Payload filter', false);
    // The next field is the editor of the filter of headers.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+Tab');
    await expectFocus(page, 'Payload filter', true);
  });

  it('fit on a narrow screen', { tags: 'full' }, async () => {
    await write(daemon, '/factories/rows/automations/narrow', 'A prompt.');
    const page = await signIn(daemon, '/factories/rows/automations/narrow/edit', NARROW);
    await page.getByRole('textbox', { name: 'Payload filter' }).waitFor();
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(NARROW.width);
    await page.getByRole('link', { name: 'Automations', exact: true }).last().click();
    await page.getByRole('link', { name: 'narrow' }).waitFor();
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(NARROW.width);
  });
});

const senders = new Map<string, { ingress_url: string; secret: string }>();

/** Sends deliveries to a webhook of the live factory, and creates the webhook first if it does not exist. */
async function receive(daemon: TestDaemon, webhook: string, payloads: unknown[]): Promise<void> {
  if (!senders.has(webhook)) {
    const body = { name: webhook, auth_mode: 'token' };
    const created = await daemon.api('/factories/rows/webhooks', { method: 'POST', body });
    expect(created.status).toBe(201);
    senders.set(webhook, created.body);
  }
  const { ingress_url: url, secret } = senders.get(webhook)!;
  for (const payload of payloads) {
    const headers = { authorization: `Bearer ${secret}` };
    const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify(payload) });
    expect(status).toBe(202);
  }
}

async function write(daemon: TestDaemon, path: string, prompt: string): Promise<void> {
  const triggers = [{ provider: 'webhook', event: 'received', filter: { webhooks: ['issues'] } }];
  const { status } = await daemon.api(path, { method: 'PUT', body: { triggers, prompt } });
  expect([200, 201]).toContain(status);
}

async function choose(page: Page, webhook: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Webhook received from' }).click();
  await page.keyboard.type(webhook.slice(0, -1));
  await page.keyboard.press('Tab');
}

async function writeFilter(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Payload filter' }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

/** Selects an option until the next one is shown, because the editor ignores clicks on a list that just opened. */
async function complete(page: Page, name: RegExp, next: RegExp | null): Promise<void> {
  const options = page.getByRole('option');
  const isTaken = () =>
    next === null ? options.count().then((n) => n === 0) : options.filter({ hasText: next }).isVisible();
  await options.filter({ hasText: name }).waitFor();
  await eventually(async () => {
    if (await isTaken()) return true;
    await options
      .filter({ hasText: name })
      .click({ timeout: 1_000 })
      .catch(() => undefined);
    return isTaken();
  }, 40_000);
}

async function readEditor(page: Page): Promise<string | null> {
  return page.getByRole('textbox', { name: 'Payload filter' }).textContent();
}

async function expectFocus(page: Page, name: string, isThere: boolean): Promise<void> {
  const focused = page.getByRole('textbox', { name }).and(page.locator(':focus'));
  await focused.waitFor({ state: isThere ? 'visible' : 'detached' });
}
