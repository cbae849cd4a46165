import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt, readCopied } from '../../helpers/dashboard.ts';
import { startDaemonHere, type TestDaemon } from '../../helpers/test-daemon.ts';

const run = promisify(execFile);

describeDashboard('a new webhook', ({ signIn }) => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    const factories = ['rows', 'files', 'full'].map((name) => ({
      name,
      source: { type: name === 'files' ? 'managed' : 'live' },
    }));
    daemon = await startDaemonHere({ config: { factories } });
    await daemon.cli('secret', 'create', 'TEAM_SECRET', '--all-factories', '--value', 'the-secret-that-the-team-has');
  });
  afterAll(() => daemon?.end('SIGTERM'));

  const openForm = async (factory = 'rows') => {
    const page = await signIn(daemon, `/factories/${factory}/webhooks/new`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await field(page, 'Name').waitFor();
    return page;
  };
  const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
  const chooseProvider = async (page: Page, provider: string) => {
    await page.getByRole('radio', { name: 'Provider signature' }).click();
    await page.getByRole('combobox', { name: 'Provider' }).click();
    await page.getByRole('option', { name: provider, exact: true }).click();
  };
  const submit = (page: Page) => page.getByRole('button', { name: 'Add webhook' }).click();
  const copy = async (page: Page, what: string) => {
    await page.getByRole('button', { name: `Copy ${what}`, exact: true }).click();
    await page.getByText(`Copied ${what}.`).waitFor({ state: 'attached' });
    return readCopied(page);
  };
  /** Runs the copied command in a shell and returns its output. */
  const paste = async (page: Page) => (await run('/bin/sh', ['-c', await copy(page, 'command')])).stdout;
  const leave = async (page: Page, words: string) => {
    await page.getByRole('button', { name: words }).click();
    await page.getByRole('heading', { name: 'How to send' }).waitFor();
  };
  const labels = async (page: Page) => {
    const { body } = await daemon.api(`${new URL(page.url()).pathname}/deliveries`);
    return body.data.map(({ label }: { label: string }) => label);
  };

  it.each([
    ['Bearer token', null],
    ['URL token', null],
    ['Provider signature', 'Standard Webhooks'],
  ])('shows a command that works in a shell (%s)', { tags: 'full' }, async (mode, provider) => {
    const page = await openForm();
    await field(page, 'Name').fill(mode.replace(' ', '-'));
    if (provider === null) await page.getByRole('radio', { name: mode }).click();
    else {
      await chooseProvider(page, provider);
      await page.getByText('Leave blank to generate a secret').waitFor();
    }
    await submit(page);
    await page.getByText('Copy the secret now').waitFor();
    expect(await paste(page)).toMatch(/^HTTP\/1.1 202[\s\S]*"delivery_id"/);
    await leave(page, 'I have copied it');
    await expect.poll(() => labels(page)).toEqual(['Accepted']);
  });

  it('takes forms, an ID from the payload, and every delivery as new', { tags: 'full' }, async () => {
    const page = await openForm();
    await field(page, 'Name').fill('forms');
    await page.getByRole('checkbox', { name: 'The sender posts forms' }).check();
    await field(page, 'Delivery ID header').fill('X-Id');
    await field(page, 'Delivery ID path').fill('event.id');
    await submit(page);
    await page
      .getByText(/either|not both|one of/i)
      .first()
      .waitFor();
    await field(page, 'Delivery ID header').fill('');
    await page.getByRole('checkbox', { name: 'Recognize repeated deliveries' }).uncheck();
    await lookAt(page, 'webhook-inputs');
    await submit(page);
    await page.getByText('Copy the secret now').waitFor();
    const { body } = await daemon.api('/factories/rows/webhooks');
    expect(body.data.find(({ name }: { name: string }) => name === 'forms')).toMatchObject({
      body_format: 'form',
      delivery_id_header: null,
      delivery_id_path: 'event.id',
      deduplicate: false,
    });
    expect(await paste(page)).toMatch(/^HTTP\/1.1 202[\s\S]*"delivery_id"/);
    await leave(page, 'I have copied it');
    const facts = page.getByRole('region', { name: 'Settings' });
    for (const text of ['Form', 'event.id of the payload']) await facts.getByText(text, { exact: true }).waitFor();
    await facts.getByText('Duplicates', { exact: true }).waitFor();
  });

  it('takes the JSON of the form field that the sender uses, and shows a command that posts it', {
    tags: 'full',
  }, async () => {
    const page = await openForm();
    await field(page, 'Name').fill('mandrill');
    expect(await field(page, 'Form field').count()).toBe(0);
    await page.getByRole('checkbox', { name: 'The sender posts forms' }).check();
    await field(page, 'Form field').fill('not a field\u0000');
    await submit(page);
    await page
      .getByText(/form_field|form field/i)
      .nth(1)
      .waitFor();
    await field(page, 'Form field').fill(' mandrill_events ');
    await submit(page);
    await page.getByText('Copy the secret now').waitFor();
    expect(await copy(page, 'command')).toContain('mandrill_events');
    expect(await paste(page)).toMatch(/^HTTP\/1.1 202[\s\S]*"delivery_id"/);
    await leave(page, 'I have copied it');
    const facts = page.getByRole('region', { name: 'Settings' });
    await facts.getByText('mandrill_events', { exact: true }).waitFor();
    const { body } = await daemon.api(`${new URL(page.url()).pathname}/deliveries`);
    expect(body.data).toMatchObject([{ label: 'Accepted' }]);
    const { body: payload } = await daemon.api(`/deliveries/${body.data[0].id}/payload`);
    expect(payload).toEqual({ hello: 'dockbell' });
  });

  it('omits the form field for a sender that posts no forms', { tags: 'full' }, async () => {
    const page = await openForm();
    await field(page, 'Name').fill('no-forms');
    const posts = page.getByRole('checkbox', { name: 'The sender posts forms' });
    await posts.check();
    await field(page, 'Form field').fill('mandrill_events');
    await posts.uncheck();
    await submit(page);
    await page.getByText('Copy the secret now').waitFor();
    const { body } = await daemon.api('/factories/rows/webhooks');
    expect(body.data.find(({ name }: { name: string }) => name === 'no-forms')).toMatchObject({
      body_format: 'json',
      form_field: null,
    });
    expect(await paste(page)).toMatch(/^HTTP\/1.1 202/);
    await leave(page, 'I have copied it');
  });

  it.each([
    ['token', 'Bearer token'],
    ['url_token', 'URL token'],
  ])('shows a command that works when the secret is set in the shell (%s)', { tags: 'full' }, async (mode, label) => {
    const page = await openForm();
    await field(page, 'Name').fill(`later-${mode}`);
    await page.getByRole('radio', { name: label }).click();
    await field(page, 'Secret name').fill(`LATER_${mode}`);
    await submit(page);
    await page.getByText('Copy the secret now').waitFor();
    const secret = mode === 'token' ? await copy(page, 'secret') : (await copy(page, 'ingress URL')).split('/').at(-1)!;
    await leave(page, 'I have copied it');
    const { stdout } = await run('/bin/sh', ['-c', await copy(page, 'command')], {
      env: { ...process.env, [`LATER_${mode}`]: secret },
    });
    expect(stdout).toMatch(/^HTTP\/1.1 202/);
    await page.reload();
    await page.getByRole('heading', { name: 'How to send' }).waitFor();
    await expect.poll(() => page.content()).not.toContain(secret);
  });

  it('uses an existing secret and does not show it', { tags: 'full' }, async () => {
    const page = await openForm();
    await field(page, 'Name').fill('shared');
    await field(page, 'Secret name').fill('TEAM_SECRET');
    await submit(page);
    await page.getByText('The webhook uses the team secret TEAM_SECRET, which is not shown.').waitFor();
    await expect.poll(() => page.content()).not.toContain('the-secret-that-the-team-has');
    const url = await copy(page, 'ingress URL');
    await lookAt(page, 'webhook-existing-secret');
    await leave(page, 'Done');
    const headers = { authorization: 'Bearer the-secret-that-the-team-has' };
    expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(202);
  });

  it('stores the secret of a provider and does not show it again', { tags: 'full' }, async () => {
    const page = await openForm();
    await field(page, 'Name').fill('code');
    await chooseProvider(page, 'GitHub');
    await field(page, 'Signing secret').fill('the-secret-entered-at-github');
    await submit(page);
    await page.getByText('CODE_WEBHOOK_SECRET, which is not shown').waitFor();
    await expect.poll(() => page.content()).not.toContain('the-secret-entered-at-github');
    await expect.poll(() => copy(page, 'command')).toContain('dockbell send code --factory rows');
    expect((await daemon.cli('send', 'code', '--factory', 'rows', '--data', '{"hello": "dockbell"}')).code).toBe(0);
    await leave(page, 'Done');
    await page.getByText('X-GitHub-Delivery', { exact: true }).waitFor();
    await expect.poll(() => labels(page)).toEqual(['Accepted']);
  });

  it('requires a secret if the provider does not issue it later', { tags: 'full' }, async () => {
    const page = await openForm();
    await field(page, 'Name').fill('secretless');
    await chooseProvider(page, 'GitHub');
    await submit(page);
    await page.getByText('Enter the secret, or the name of an existing team secret below.').waitFor();
    await lookAt(page, 'add-webhook-secretless');
    expect((await daemon.cli('webhook', 'show', 'secretless', '--factory', 'rows')).code).not.toBe(0);
    // The daemon checks whether the secret exists.
    await field(page, 'Secret name').fill('NOBODY_MADE_IT');
    await submit(page);
    await page.getByRole('alert').waitFor();
  });

  it('identifies deliveries by its delivery ID header, which must not be a credential header', {
    tags: 'full',
  }, async () => {
    const page = await openForm();
    await field(page, 'Name').fill('stamped');
    await field(page, 'Delivery ID header').fill('Authorization');
    await submit(page);
    await page.getByRole('alert').waitFor();
    await field(page, 'Delivery ID header').fill('X-Event-Id');
    await submit(page);
    await page.getByText('Copy the secret now').waitFor();
    const [url, secret] = [await copy(page, 'ingress URL'), await copy(page, 'secret')];
    for (const id of ['1', '2', '2']) {
      const headers = { authorization: `Bearer ${secret}`, 'x-event-id': id };
      expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(202);
    }
    await leave(page, 'I have copied it');
    await page.getByText('X-Event-Id', { exact: true }).waitFor();
    await expect.poll(() => labels(page)).toEqual(['Duplicate', 'Accepted', 'Accepted']);
  });

  it('suggests a secret name, and appends a number if it exists', { tags: 'full' }, async () => {
    await daemon.cli('secret', 'create', 'TAKEN_WEBHOOK_SECRET', '--value', 'of-somebody-else-altogether');
    const page = await openForm();
    await field(page, 'Name').fill('taken');
    await page.getByText('Defaults to TAKEN_WEBHOOK_SECRET').waitFor();
    await submit(page);
    await page.getByText('stored encrypted as TAKEN_WEBHOOK_SECRET_2').waitFor();
  });

  it('is rejected if the factory has 20 webhooks', { tags: 'full' }, async () => {
    for (let i = 1; i <= 20; i += 1) {
      const body = { name: `w${i}`, secret_name: 'TEAM_SECRET' };
      expect((await daemon.api('/factories/full/webhooks', { method: 'POST', body })).status).toBe(201);
    }
    const page = await openForm('full');
    await field(page, 'Name').fill('one-too-many');
    await submit(page);
    await page.getByRole('alert').getByText(/20/).first().waitFor();
  });

  it.each(['rows', 'files'])('is added with the keyboard (%s)', { tags: 'full' }, async (factory) => {
    const page = await signIn(daemon, `/factories/${factory}/webhooks`);
    // Chromium grants this on a key press. Its headless shell needs an explicit grant.
    await page.context().grantPermissions(['clipboard-write']);
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    const { keyboard } = page;
    const tabTo = async (name: RegExp) => {
      for (let i = 0; i < 60; i += 1) {
        await keyboard.press('Tab');
        const focused = String(
          await page.evaluate(`(() => {
            const el = document.activeElement;
            return el.getAttribute('aria-label') ?? el.labels?.[0]?.textContent ?? el.textContent;
          })()`),
        );
        if (name.test(focused)) return;
      }
      throw new Error(`Tab does not lead to ${name}.`);
    };
    await tabTo(/^Skip to content/);
    await keyboard.press('Enter');
    await tabTo(/^Add webhook$/);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Add webhook', level: 1 }).waitFor();
    await tabTo(/^Name/);
    await keyboard.type('by-keyboard');
    await tabTo(/^Bearer token/);
    await keyboard.press('ArrowUp');
    await tabTo(/^Provider/);
    const typeProvider = async (text: string, match: string) => {
      await keyboard.press('Control+a');
      await keyboard.type(text);
      await page.getByRole('option', { name: match }).waitFor();
      await page.getByRole('option').filter({ hasNotText: match }).first().waitFor({ state: 'detached' });
    };
    await typeProvider('stripe', 'Stripe');
    await keyboard.press('Enter');
    await expectProvider(page, 'Stripe');
    await typeProvider('Stripe', 'Stripe');
    await keyboard.press('Enter');
    await expectProvider(page, 'Stripe');
    await typeProvider('shopi', 'Shopify');
    await keyboard.press('Tab');
    await expectProvider(page, 'Shopify');
    await keyboard.press('Shift+Tab');
    await expectProvider(page, 'Shopify');
    await keyboard.press('Control+a');
    await keyboard.type('no such provider');
    await page.getByText('No matching provider.').waitFor();
    await keyboard.press('Enter');
    await keyboard.press('Tab');
    await expectProvider(page, 'Shopify');
    await keyboard.press('Shift+Tab');
    await typeProvider('stri', 'Stripe');
    await keyboard.press('Escape');
    await keyboard.press('Shift+Tab');
    await expectProvider(page, 'Shopify');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await keyboard.press('ArrowUp');
    await tabTo(/^Secret name/);
    await tabTo(/^Delivery ID header/);
    await keyboard.type('X-Event-Id');
    await tabTo(/^Add webhook/);
    await keyboard.press('Enter');
    await page.getByText('Copy the secret now').waitFor();
    await tabTo(/^Copy ingress URL/);
    await keyboard.press('Enter');
    await page.getByText('Copied ingress URL.').waitFor({ state: 'attached' });
    await tabTo(/^I have copied it/);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'by-keyboard', level: 1 }).waitFor();
    const { body } = await daemon.api(`/factories/${factory}/webhooks`);
    const made = body.data.find(({ name }: { name: string }) => name === 'by-keyboard');
    expect(made).toMatchObject({ auth_mode: 'url_token', delivery_id_header: 'X-Event-Id' });
  });
});

async function expectProvider(page: Page, title: string): Promise<void> {
  await expect.poll(() => page.getByRole('combobox', { name: 'Provider' }).inputValue()).toBe(title);
}
