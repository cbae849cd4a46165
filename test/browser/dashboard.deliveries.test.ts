import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt, readCopied } from '../helpers/dashboard.ts';
import { createWebhook, type DashboardFactory, startDashboardFactory } from '../helpers/dashboard-factory.ts';

const PATH = '/factories/payments/deliveries';
const NAUGHTY: string[] = JSON.parse(
  readFileSync(new URL('../vectors/naughty-strings/blns.json', import.meta.url), 'utf8'),
);
/** The requests for deliveries that the page sends from now on. */
async function recordRequests(page: Page): Promise<string[]> {
  // The requests of the first load have ended.
  await page.waitForLoadState('load');
  const requests: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith('/deliveries')) requests.push(pathname);
  });
  return requests;
}

const SCRIPT = '<script>globalThis.hasRun = true</script><img src=x onerror="globalThis.hasRun = true">';

describeDashboard('the deliveries', ({ signIn }) => {
  let factory: DashboardFactory;
  let quiet: string;
  beforeAll(async () => {
    factory = await startDashboardFactory('echo built');
    quiet = (await createWebhook(factory.daemon, 'quiet')).uid;
  });
  afterAll(() => factory?.daemon.end('SIGTERM'));

  const send = (id: string, body = '{"start": false}') => factory.send(body, { 'x-service-delivery-id': id });
  const detailsOf = (page: Page, id: string) =>
    page.getByRole('row').filter({ hasText: id }).getByRole('button').first();

  it('explain how to send the first delivery', { tags: 'full' }, async () => {
    const page = await signIn(factory.daemon, `${PATH}?webhook=${quiet}`);
    await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor();
    await expect
      .poll(() => page.getByRole('region', { name: 'send command' }).textContent())
      .toContain('dockbell send quiet');
    await expect
      .poll(() => page.getByRole('region', { name: 'curl command' }).textContent())
      .toContain('"$QUIET_WEBHOOK_SECRET"');
    await lookAt(page, 'deliveries-empty');
  });

  it('show decisions and payload, and copy paths of the payload as filters', async () => {
    await send('filtered-1', '{"start": false, "labels": [{"name": "bug"}]}');
    await send('started-1', '{"start": true, "data": {"level": "fatal", "count": 3, "none": null}}');
    const page = await signIn(factory.daemon, `${PATH}?webhook=${factory.uid}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await detailsOf(page, 'filtered-1').click();
    const decisions = page.getByRole('region', { name: 'Decisions' });
    await decisions.getByText('Not started: filter').waitFor();
    await expect.poll(() => decisions.textContent()).toContain('Decided by start');
    await page.getByRole('button', { name: 'Copy labels[0].name as a payload filter' }).focus();
    await page.keyboard.press('Enter');
    expect(JSON.parse(await readCopied(page))).toEqual({ labels: { name: ['bug'] } });
    await detailsOf(page, 'started-1').click();
    await decisions.getByText('Started', { exact: true }).waitFor();
    await page.getByText('"fatal"').waitFor();
    await lookAt(page, 'deliveries');
    await page.getByText('Raw', { exact: true }).click();
    await page.getByText('{"start": true, "data": {"level": "fatal"').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    expect(await text(await (await download).createReadStream())).toContain('"level": "fatal"');
  });

  it('copy filters that match the delivery', { tags: 'full' }, async () => {
    const payload = {
      text: 'a',
      empty: '',
      yes: true,
      none: null,
      'dots.and "quotes"': 1,
      list: [1, [2, 3], { deep: 0.1 }],
      bare: {},
      bareList: [],
      '\u202e<b>': '\u0000\ud83d\ude00',
      long: 'x'.repeat(2_000),
      far: Number.MAX_SAFE_INTEGER * 1_000,
      a: { b: { c: { d: { e: { f: 'deep' } } } } },
    };
    await send('copied-1', JSON.stringify(payload));
    const { body } = await factory.daemon.api('/factories/payments/deliveries?delivery_id=copied-1');
    const delivery = body.data[0].id;
    const page = await signIn(factory.daemon, `/factories/payments/deliveries/${delivery}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('"a"').waitFor();
    const closed = page.getByRole('list', { name: 'Payload' }).locator('[aria-expanded="false"]');
    while ((await closed.count()) > 0) await closed.first().click();
    const buttons = page.getByRole('button', { name: /as a payload filter$/ });
    const count = await buttons.count();
    expect(count).toBeGreaterThan(15);
    for (let i = 0; i < count; i += 1) {
      await buttons.nth(i).focus();
      await page.keyboard.press('Enter');
      const filter = JSON.parse(await readCopied(page));
      const tried = await factory.daemon.api('/factories/payments/filters/test', {
        method: 'POST',
        body: { filter, delivery },
      });
      expect(tried.body.verdict, JSON.stringify([filter, tried.body])).toBe('Would trigger');
    }
  });

  it('link to automations, runs and the webhook', { tags: 'full' }, async () => {
    await send('linked-1', '{"start": true}');
    const page = await signIn(factory.daemon, `${PATH}?id=linked-1`);
    await detailsOf(page, 'linked-1').click();
    const decisions = page.getByRole('region', { name: 'Decisions' });
    await decisions.getByRole('link', { name: 'build' }).click();
    await page.getByRole('heading', { level: 1, name: 'build' }).waitFor();
    // The row is still open.
    await page.goBack();
    await decisions.getByRole('link', { name: /^run_/ }).click();
    await page.waitForURL(/runs\/run_/);
    await page.getByRole('link', { name: 'build' }).waitFor();
    await page.getByRole('link', { name: 'webhook ci', exact: true }).click();
    await page.waitForURL(`**/webhooks/${factory.uid}`);
  });

  it('show the first delivery and the identity of a duplicate', { tags: 'full' }, async () => {
    await send('twice');
    await send('twice');
    const page = await signIn(factory.daemon, `${PATH}?webhook=${factory.uid}&label=Duplicate`);
    await detailsOf(page, 'twice').click();
    await page.getByText('Both have the same identity: X-Service-Delivery-Id.').waitFor();
    await lookAt(page, 'deliveries-duplicate');
    await page.getByRole('link', { name: /^dlv_/ }).click();
    await page.getByRole('region', { name: 'Payload' }).waitFor();
  });

  it('explain a rejection, diagnose it, and capture the next rejected requests', { tags: 'full' }, async () => {
    expect((await factory.send('{}', { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await factory.send('no json')).status).toBe(400);
    const page = await signIn(factory.daemon, `${PATH}?webhook=${factory.uid}`);
    await page.getByRole('combobox', { name: 'Label' }).click();
    await page.getByRole('option', { name: 'Rejected (auth)' }).click();
    await expect.poll(() => page.url()).toContain('label=Rejected');
    await detailsOf(page, 'bad credential').click();
    await page.getByText('The token is not the secret of this webhook.').waitFor();
    await page.getByRole('button', { name: 'Find the cause' }).click();
    await page.getByRole('status').filter({ hasText: 'The reason alone does not show the cause' }).waitFor();
    await lookAt(page, 'deliveries-rejected');
    await page.getByRole('button', { name: 'Capture rejected requests' }).click();
    await page.getByRole('button', { name: 'Capture for 10 minutes' }).click();
    await page.getByText('closes in 10 minutes').waitFor();
    const { body } = await factory.daemon.api(`/factories/payments/webhooks/${factory.uid}`);
    expect(body.capture).not.toBeNull();
    await page.reload();
    await page.getByText('no json').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'Rejected (invalid JSON)' }).count()).toBe(0);
  });

  it('are replayed after a confirmation', { tags: 'full' }, async () => {
    await send('again', '{"start": true, "again": true}');
    const page = await signIn(factory.daemon, `${PATH}?webhook=${factory.uid}`);
    await detailsOf(page, 'again').click();
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The sender sees no difference').waitFor();
    await lookAt(page, 'deliveries-replay');
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.waitForURL(/deliveries\/dlv_/);
    await page.getByText('1 run started.').waitFor();
    await page.getByText(/ replayed dlv_/).waitFor();
    await lookAt(page, 'delivery');
    const { body } = await factory.daemon.api(`/factories/payments/webhooks/${factory.uid}/deliveries?limit=2`);
    expect(body.data[0].replay_of).toBe(body.data[1].id);
  });

  it('show hostile content as text', { tags: 'full' }, async () => {
    const keys = Object.fromEntries(NAUGHTY.map((text, i) => [`${i}${text}`, text]));
    await send('hostile', JSON.stringify({ [SCRIPT]: SCRIPT, __proto__: 1, naughty: NAUGHTY.slice(0, 30), keys }));
    await send(SCRIPT, JSON.stringify({ id: 'hostile' }));
    const page = await signIn(factory.daemon, `${PATH}?webhook=${factory.uid}`);
    await page.getByRole('link', { name: SCRIPT }).waitFor();
    await detailsOf(page, 'hostile').click();
    await page.getByRole('button', { name: /^naughty/ }).click();
    await page.getByRole('button', { name: /^keys/ }).click();
    const more = page.getByRole('button', { name: /^Show \d+ more/ });
    while ((await more.count()) > 0) await more.first().click();
    await expect.poll(() => page.getByText('<img src=x onerror').count()).toBeGreaterThan(0);
    await page.getByText('Raw', { exact: true }).click();
    await page.getByText('"naughty"').waitFor();
    expect(await page.evaluate('globalThis.hasRun')).toBeUndefined();
    await page.getByRole('link', { name: SCRIPT }).click();
    await page.getByRole('heading', { level: 1, name: SCRIPT }).waitFor();
    expect(await page.evaluate('globalThis.hasRun')).toBeUndefined();
  });

  it('are added to the list by live events, without a request for the list', { tags: 'full' }, async () => {
    await send('added-0');
    const page = await signIn(factory.daemon, `${PATH}?label=Accepted`);
    await page.getByRole('link', { name: 'added-0' }).waitFor();
    await page.mouse.move(0, 0);
    const requests = await recordRequests(page);
    for (let i = 1; i <= 5; i += 1) {
      await send(`added-${i}`);
      await page.getByRole('link', { name: `added-${i}` }).waitFor();
    }
    await factory.send('{"start": false}', {
      authorization: 'Bearer wrong',
      'x-service-delivery-id': 'added-rejected',
    });
    await send('added-6');
    await page.getByRole('link', { name: 'added-6' }).waitFor();
    const shown = await page.getByRole('link', { name: /^added-/ }).allTextContents();
    expect(shown).toEqual(['added-6', 'added-5', 'added-4', 'added-3', 'added-2', 'added-1', 'added-0']);
    expect(requests).toEqual([]);
  });
});
