import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, moveTo } from '../../helpers/dashboard.ts';
import { eventually } from '../../helpers/eventually.ts';
import { createTempDir } from '../../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../../helpers/test-daemon.ts';

const NAUGHTY: string[] = JSON.parse(
  readFileSync(new URL('../../vectors/naughty-strings/blns.json', import.meta.url), 'utf8'),
);
const SCRIPT = '<script>globalThis.hasRun = true</script><img src=x onerror="globalThis.hasRun = true">';
const SCRIPT_BEGINNING = '<script>globalThis.hasRun = true</script>';
const LINK = 'javascript:globalThis.hasRun=true';
/** Texts that are written to become part of a page. */
const MARKUP = NAUGHTY.filter((text) => /[<>]|javascript:/i.test(text));
const ALL = [SCRIPT, LINK, ...NAUGHTY].join('\n');

describeDashboard('untrusted text', ({ signIn }) => {
  let daemon: TestDaemon;
  let repo: TempGitRepo;
  let run: { id: string; delivery: string; webhook_uid: string };
  let token: string;

  beforeAll(async () => {
    const log = join(createTempDir('naughty'), 'log.txt');
    writeFileSync(log, ALL);
    repo = await createTempGitRepo();
    await repo.commit({ 'webhooks/fine.yaml': `secretName: FINE\ndescription: ${JSON.stringify(SCRIPT)}\n` });
    const executor = { type: 'command', command: ['/bin/cat', log] };
    daemon = await startDaemonHere({
      config: {
        limits: { deliveriesPerMinute: 100_000, failedAuthPerMinute: 10_000 },
        factories: [
          { name: 'rows', source: { type: 'live' }, runs: { executor } },
          { name: 'files', source: { type: 'managed' } },
          { name: 'theirs', source: { type: 'repository', url: repo.path } },
        ],
      },
    });
    const made = await post('/tokens', { name: SCRIPT, role: 'owner' });
    token = made.token;
    await fill('rows');
    await fill('files');
    await send();
    const runs = async () => (await daemon.api('/factories/rows/runs?state=succeeded')).body.data[0];
    run = await eventually(runs, 60_000);
    await breakRepository();
  });
  afterAll(async () => {
    await daemon?.end('SIGTERM');
    repo?.remove();
  });

  const post = async (path: string, body: object, as?: string) => {
    const answer = await daemon.api(path, { method: 'POST', body, ...(as === undefined ? {} : { token: as }) });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body;
  };
  const senders: { url: string; secret: string }[] = [];

  /** A webhook and an automation with hostile texts, created by a token with a hostile name. */
  const fill = async (factory: string) => {
    const webhook = await post(`/factories/${factory}/webhooks`, { name: 'ci', description: ALL.slice(0, 900) }, token);
    senders.push({ url: webhook.ingress_url, secret: webhook.secret });
    const payload = { id: ['hostile', ...MARKUP.slice(0, 20)], [SCRIPT]: { [LINK]: { not_in: [SCRIPT] } } };
    const triggers = [
      { provider: 'webhook', event: 'received', filter: { webhooks: ['ci'], payload } },
      { provider: 'schedule', event: SCRIPT, cron: LINK },
    ];
    const texts = { description: SCRIPT, agent: SCRIPT, prompt: ALL, model: SCRIPT };
    await post(`/factories/${factory}/automations`, { name: 'hostile', triggers, ...texts }, token);
  };

  const send = async () => {
    const { url, secret } = senders[0]!;
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    for (const text of [...MARKUP, SCRIPT, LINK]) {
      const id = Buffer.from(text).toString('latin1').trim().slice(0, 250);
      if (!/^[ -~\x80-\xff]+$/.test(id)) continue;
      const body = JSON.stringify({ id: text });
      const { status } = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'x-service-delivery-id': id },
        body,
      });
      expect(status).toBe(202);
    }
    const body = JSON.stringify({ id: 'hostile', [SCRIPT]: { [LINK]: MARKUP, again: { [SCRIPT]: SCRIPT } } });
    const started = { ...headers, 'x-service-delivery-id': SCRIPT.repeat(2) };
    expect((await fetch(url, { method: 'POST', headers: started, body })).status).toBe(202);
    await fetch(url, { method: 'POST', headers: { ...started, authorization: `Bearer ${SCRIPT}` }, body });
    await fetch(url, { method: 'POST', headers: started, body: SCRIPT });
  };

  const breakRepository = async () => {
    expect(
      (await daemon.cli('secret', 'create', 'FINE', '--factory', 'theirs', '--value', 'the-secret-of-the-team')).code,
    ).toBe(0);
    expect((await daemon.cli('reconcile', '--factory', 'theirs', '--wait')).code).toBe(0);
    const keys = Object.fromEntries([...new Set([SCRIPT, LINK, ...MARKUP])].map((text) => [text, text]));
    await repo.commit({
      'webhooks/bad.yaml': JSON.stringify({ secretName: SCRIPT, ...keys }),
      'webhooks/<img src=x onerror=alert(1)>.yaml': `description: ${JSON.stringify(SCRIPT)}\n`,
      'automations/<svg onload=alert(1)>/automation.md': `---\ntriggers: [${JSON.stringify(SCRIPT)}]\n---\n${SCRIPT}\n`,
    });
    expect((await daemon.cli('reconcile', '--factory', 'theirs', '--wait')).code).toBe(1);
  };

  /** Checks that no text became part of the page. Executed scripts and policy violations are checked after each test. */
  const expectInert = async (page: Page) => {
    expect(await page.evaluate('globalThis.hasRun')).toBeUndefined();
    const alive = await page.evaluate(`[...document.querySelectorAll('body *')]
      .filter((el) => [...el.attributes].some(({ name, value }) => /^on/i.test(name) || /^\\s*javascript:/i.test(value))
        || /^(script|iframe|object|embed|base|meta|link|form-action|math|xss)$/i.test(el.localName) && !el.src?.startsWith(location.origin)
        || el.localName === 'img' && !el.src.startsWith(location.origin + '/assets/') && !el.src.startsWith('data:image/svg'))
      .map((el) => el.outerHTML.slice(0, 200))`);
    expect(alive).toEqual([]);
  };
  /** Goes to the page and waits for the hostile text, so that the check proves something. */
  const open = async (page: Page, path: string, text: string | RegExp = SCRIPT_BEGINNING) => {
    await moveTo(page, path);
    await page.getByText(text).first().waitFor({ state: 'attached' });
    await expectInert(page);
  };

  it('is text in names of tokens and authors, and in messages of revisions', { tags: 'full' }, async () => {
    const page = await signIn(daemon);
    await open(page, '/settings');
    await open(page, '/settings/audit');
    await moveTo(page, '/factories/files/reconciliations');
    await page.getByRole('tab', { name: 'Revisions' }).click();
    await page.getByText('globalThis.hasRun').first().waitFor();
    await expectInert(page);
  });

  it('is text in descriptions, prompts, agents, overrides and triggers', { tags: 'full' }, async () => {
    const page = await signIn(daemon);
    for (const factory of ['rows', 'files']) {
      await open(page, `/factories/${factory}/webhooks`);
      await open(page, `/factories/${factory}/automations`);
      await open(page, `/factories/${factory}/automations/hostile`);
    }
    await open(page, '/factories/theirs/webhooks');
  });

  it('is text in alerts, and in the notes of people', { tags: 'full' }, async () => {
    const alerts = async () => (await daemon.api('/alerts?rule=applyFailed')).body.data[0];
    const { id } = await eventually(alerts);
    const acknowledged = await daemon.api(`/alerts/${id}/acknowledge`, {
      method: 'POST',
      body: { note: SCRIPT },
      token,
    });
    expect(acknowledged.status).toBe(200);
    await open(await signIn(daemon), '/alerts');
  });

  it('is text in the editor, its completions and its test results', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/factories/rows/automations/hostile/edit');
    await page.getByRole('button', { name: 'Test filter' }).click();
    const result = page.getByRole('status', { name: 'Test result' });
    await result.getByText('globalThis.hasRun').first().waitFor();
    await page.getByRole('button', { name: 'Run backtest' }).click();
    await page
      .getByRole('status', { name: 'Backtest result' })
      .getByText(/starts?/)
      .first()
      .waitFor();
    await page.getByRole('textbox', { name: 'Payload filter' }).click();
    await page.getByText('Press Ctrl+Space for keys').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: /globalThis/ }).click();
    await expectInert(page);
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(JSON.stringify({ [SCRIPT]: { in: [], [LINK]: [] } }));
    await page
      .getByRole('status', { name: 'Problems in Payload filter' })
      .getByText(/^Line 1/)
      .first()
      .waitFor();
    await page.locator('.cm-lintRange-error').first().hover();
    await expectInert(page);
  });

  it('is text in delivery IDs on every page of the log', { tags: 'full' }, async () => {
    const page = await signIn(daemon);
    await open(page, `/factories/rows/deliveries?webhook=${run.webhook_uid}`);
    const older = page.getByRole('button', { name: 'Older' });
    const firstRow = page.getByRole('row').nth(1);
    for (let i = 0; i < 3 && (await older.isEnabled()); i += 1) {
      const before = await firstRow.textContent();
      await older.click();
      // Until then, the rows and the button belong to the previous page.
      await expect.poll(() => firstRow.textContent()).not.toBe(before);
      await expectInert(page);
    }
    await open(page, `/factories/rows/deliveries/${run.delivery}`);
    await open(page, `/factories/rows/webhooks/${run.webhook_uid}`);
    await open(page, '/factories/rows', /hasRun|Rejected/);
  });

  it('is text in logs and inputs of runs', { tags: 'full' }, async () => {
    const page = await signIn(daemon);
    await open(page, '/factories/rows/runs', 'hostile');
    await open(page, `/factories/rows/runs/${run.id}`);
    await page.getByText(NAUGHTY.at(-1)!.slice(0, 20)).first().waitFor({ state: 'attached' });
    await page.getByRole('tab', { name: 'Input' }).click();
    await page.getByRole('region', { name: 'prompt' }).waitFor();
    await expectInert(page);
  });

  it('is text in findings: file names, keys and messages', { tags: 'full' }, async () => {
    const page = await signIn(daemon, '/factories/theirs/reconciliations');
    await page
      .getByRole('link', { name: /error|invalid/i })
      .first()
      .click();
    await page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
    await page.getByText('<svg onload=alert(1)>').first().waitFor();
    await page.getByText(SCRIPT.slice(0, 30)).first().waitFor();
    await expectInert(page);
    await open(page, '/factories/theirs', /definition|last/i);
  });
});
