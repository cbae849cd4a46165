import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt, NARROW } from '../helpers/dashboard.ts';
import { createWebhook, type DashboardFactory, startDashboardFactory } from '../helpers/dashboard-factory.ts';

const PATH = '/factories/payments/deliveries';
const NAUGHTY: string[] = JSON.parse(
  readFileSync(new URL('../vectors/naughty-strings/blns.json', import.meta.url), 'utf8'),
);
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

  it('teach how to send the first one', async () => {
    const page = await signIn(factory.daemon, `${PATH}?webhook=${quiet}`);
    await page.getByRole('heading', { name: 'Nothing has arrived yet' }).waitFor();
    expect(await page.getByRole('region', { name: 'send command' }).textContent()).toContain('dockbell send quiet');
    expect(await page.getByRole('region', { name: 'curl command' }).textContent()).toContain('Bearer $SECRET');
    await lookAt(page, 'deliveries-empty');
  });

  it('open to their decisions and their payload, whose paths are copied as filters', async () => {
    await send('filtered-1', '{"start": false, "labels": [{"name": "bug"}]}');
    await send('started-1', '{"start": true, "data": {"level": "fatal", "count": 3, "none": null}}');
    const page = await signIn(factory.daemon, `${PATH}?webhook=${factory.uid}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await detailsOf(page, 'filtered-1').click();
    const decisions = page.getByRole('region', { name: 'Decisions' });
    await decisions.getByText('Not started: filter').waitFor();
    expect(await decisions.textContent()).toContain('Decided by start');
    await page.getByRole('button', { name: 'Copy labels[0].name as a payload filter' }).focus();
    await page.keyboard.press('Enter');
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(JSON.parse(String(copied))).toEqual({ labels: { name: ['bug'] } });
    await detailsOf(page, 'started-1').click();
    await decisions.getByText('Started', { exact: true }).waitFor();
    await page.getByText('"fatal"').waitFor();
    await lookAt(page, 'deliveries');
    await page.getByText('Raw', { exact: true }).click();
    await page.getByText('{"start": true, "data": {"level": "fatal"').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    expect(readFileSync(await (await download).path(), 'utf8')).toContain('"level": "fatal"');
  });

  it('are there on a narrow screen too', async () => {
    await send('narrow-1', '{"start": true}');
    const page = await signIn(factory.daemon, `${PATH}?webhook=${factory.uid}`, NARROW);
    await detailsOf(page, 'narrow-1').click();
    await page.getByRole('region', { name: 'Payload' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width);
    await lookAt(page, 'deliveries-narrow');
  });

  it('say of a duplicate what it repeats and what decided', async () => {
    await send('twice');
    await send('twice');
    const page = await signIn(factory.daemon, `${PATH}?webhook=${factory.uid}&label=Duplicate`);
    await detailsOf(page, 'twice').click();
    await page.getByText('the header X-Service-Delivery-Id decided').waitFor();
    await lookAt(page, 'deliveries-duplicate');
    await page.getByRole('link', { name: /^dlv_/ }).click();
    await page.getByRole('region', { name: 'Payload' }).waitFor();
  });

  it('say in plain words why one was rejected, find its cause, and keep the next ones for that', async () => {
    expect((await factory.send('{}', { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await factory.send('no json')).status).toBe(400);
    const page = await signIn(factory.daemon, `${PATH}?webhook=${factory.uid}`);
    await page.getByRole('combobox', { name: 'Label' }).click();
    await page.getByRole('option', { name: 'Rejected (auth)' }).click();
    await expect.poll(() => page.url()).toContain('label=Rejected');
    await detailsOf(page, 'bad credential').click();
    await page.getByText('The token is not the secret of this webhook.').waitFor();
    await page.getByRole('button', { name: 'Find the cause' }).click();
    await page.getByRole('status').filter({ hasText: 'Most likely' }).waitFor();
    await lookAt(page, 'deliveries-rejected');
    await page.getByRole('button', { name: 'Keep the next ones for a diagnosis' }).click();
    await page.getByRole('button', { name: 'Keep them for 10 minutes' }).click();
    await page.getByText('Keeping what is turned away').waitFor();
    const { body } = await factory.daemon.api(`/factories/payments/webhooks/${factory.uid}`);
    expect(body.capture).not.toBeNull();
    await page.reload();
    await page.getByText('no json').waitFor({ state: 'detached' });
    expect(await page.getByRole('row').filter({ hasText: 'Rejected (invalid JSON)' }).count()).toBe(0);
  });

  it('are replayed after it was said what that does', async () => {
    await send('again', '{"start": true, "again": true}');
    const page = await signIn(factory.daemon, `${PATH}?webhook=${factory.uid}`);
    await detailsOf(page, 'again').click();
    await page.getByRole('button', { name: 'Replay' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The sender notices nothing').waitFor();
    await lookAt(page, 'deliveries-replay');
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await page.waitForURL(/deliveries\/dlv_/);
    await page.getByText('It started 1 run.').waitFor();
    await page.getByText('Replay of').waitFor();
    await lookAt(page, 'delivery');
    const { body } = await factory.daemon.api(`/factories/payments/webhooks/${factory.uid}/deliveries?limit=2`);
    expect(body.data[0].replay_of).toBe(body.data[1].id);
  });

  it('of hostile senders are shown as text and run nothing', async () => {
    const keys = Object.fromEntries(NAUGHTY.map((text, i) => [`${i}${text}`, text]));
    await send('hostile', JSON.stringify({ [SCRIPT]: SCRIPT, __proto__: 1, naughty: NAUGHTY, keys }));
    await send(SCRIPT, JSON.stringify({ id: 'hostile' }));
    const page = await signIn(factory.daemon, `${PATH}?webhook=${factory.uid}`);
    await page.getByRole('link', { name: SCRIPT }).waitFor();
    await detailsOf(page, 'hostile').click();
    await page.getByRole('button', { name: /^naughty/ }).click();
    await page.getByRole('button', { name: /^keys/ }).click();
    const more = page.getByRole('button', { name: /^Show \d+ of/ });
    while ((await more.count()) > 0) await more.first().click();
    expect(await page.getByText('<img src=x onerror').count()).toBeGreaterThan(0);
    await page.getByText('Raw', { exact: true }).click();
    await page.getByText('"naughty"').waitFor();
    expect(await page.evaluate('globalThis.hasRun')).toBeUndefined();
    await page.getByRole('link', { name: SCRIPT }).click();
    await page.getByRole('heading', { level: 1, name: SCRIPT }).waitFor();
    expect(await page.evaluate('globalThis.hasRun')).toBeUndefined();
  });

  it('appear as they arrive, but move nothing under the pointer or while one is open', async () => {
    await send('live-1');
    const page = await signIn(factory.daemon, `${PATH}?webhook=${factory.uid}&label=Accepted`);
    const first = page.getByRole('link', { name: 'live-1' });
    await first.waitFor();
    await page.mouse.move(0, 0);
    await send('live-2');
    await page.getByRole('link', { name: 'live-2' }).waitFor();
    await first.hover();
    const place = await first.boundingBox();
    await send('live-3');
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await first.boundingBox()).toEqual(place);
    await detailsOf(page, 'live-1').click();
    await page.mouse.move(0, 0);
    await send('live-4');
    await page.getByRole('button', { name: '2 new' }).waitFor();
    expect(await page.getByRole('link', { name: 'live-3' }).count()).toBe(0);
    await page.getByRole('button', { name: '2 new' }).click();
    await page.getByRole('link', { name: 'live-4' }).waitFor();
  });

  it('go on to older pages and back', async () => {
    for (let i = 0; i < 60; i += 1) await send(`paged-${i}`);
    const page = await signIn(factory.daemon, `${PATH}?webhook=${factory.uid}&label=Accepted`);
    await page.getByRole('link', { name: 'paged-59' }).waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('link', { name: 'paged-9', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Newest' }).click();
    await page.getByRole('link', { name: 'paged-59' }).waitFor();
  });
});
