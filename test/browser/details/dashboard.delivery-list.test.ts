import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt, NARROW } from '../../helpers/dashboard.ts';
import { createWebhook, type DashboardFactory, startDashboardFactory } from '../../helpers/dashboard-factory.ts';

const PATH = '/factories/payments/deliveries';

describeDashboard('the list of deliveries', ({ signIn }) => {
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

  it('fit on a narrow screen', { tags: 'full' }, async () => {
    await send('narrow-1', '{"start": true}');
    const page = await signIn(factory.daemon, `${PATH}?webhook=${factory.uid}`, NARROW);
    await detailsOf(page, 'narrow-1').click();
    await page.getByRole('region', { name: 'Payload' }).waitFor();
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width);
    await lookAt(page, 'deliveries-narrow');
  });

  it('list all webhooks, including a deleted one', { tags: 'full' }, async () => {
    const retired = await createWebhook(factory.daemon, 'retired');
    const headers = { authorization: `Bearer ${retired.secret}`, 'content-type': 'application/json' };
    const last = { ...headers, 'x-service-delivery-id': 'its-last' };
    expect((await fetch(retired.ingress_url, { method: 'POST', headers: last, body: '{}' })).status).toBe(202);
    const { status } = await factory.daemon.api(`/factories/payments/webhooks/${retired.uid}`, { method: 'DELETE' });
    expect(status).toBe(204);
    await send('of-ci');
    const page = await signIn(factory.daemon, PATH);
    const row = page.getByRole('row').filter({ hasText: 'its-last' });
    await row.getByRole('link', { name: 'retired' }).waitFor();
    await row.getByText('deleted').waitFor();
    await page.getByRole('row').filter({ hasText: 'of-ci' }).getByRole('link', { name: 'ci', exact: true }).waitFor();
    await lookAt(page, 'deliveries-all');
    await page.goto(`${factory.daemon.adminUrl}${PATH}?webhook=${retired.uid}`);
    await page.getByRole('link', { name: 'its-last' }).waitFor();
    await expect.poll(() => page.getByRole('combobox', { name: 'Webhook' }).inputValue()).toBe('retired (deleted)');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
  });

  it('are found by the delivery ID of the sender or the internal ID', { tags: 'full' }, async () => {
    await send('dlv_looks-like-ours');
    await send('Searched-1');
    const page = await signIn(factory.daemon, PATH);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const field = page.getByRole('textbox', { name: 'Delivery ID' });
    await field.fill('  Searched-1 ');
    await field.press('Enter');
    await page.getByRole('link', { name: 'Searched-1' }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await expect.poll(() => new URL(page.url()).searchParams.get('id')).toBe('Searched-1');
    await lookAt(page, 'deliveries-search');
    await page.reload();
    await page.getByRole('link', { name: 'Searched-1' }).waitFor();
    await expect.poll(() => field.inputValue()).toBe('Searched-1');
    await page.getByRole('button', { name: 'Clear search' }).click();
    await expect.poll(() => page.getByRole('row').count()).toBeGreaterThan(2);
    await field.fill('dlv_looks-like-ours');
    await page.getByRole('button', { name: 'Search' }).click();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    const { body } = await factory.daemon.api('/factories/payments/deliveries?delivery_id=Searched-1');
    const { id } = body.data[0];
    await page.evaluate(`navigator.clipboard.writeText(' ${id} ')`);
    await field.fill('');
    await field.press('Control+V');
    await page.waitForURL(`**/deliveries/${id}`);
    await page.getByRole('heading', { level: 1, name: 'Searched-1' }).waitFor();
  });

  it('are filtered by time, which is kept in the URL', { tags: 'full' }, async () => {
    await send('of-now');
    const page = await signIn(factory.daemon, PATH);
    const choose = async (name: string) => {
      await page.getByRole('combobox', { name: 'Time' }).click();
      await page.getByRole('option', { name }).click();
    };
    await choose('Last hour');
    await expect.poll(() => page.url()).toContain('last=1h');
    await page.getByRole('link', { name: 'of-now' }).waitFor();
    await choose('Custom range');
    await expect.poll(() => page.url()).toContain('from=');
    await page.getByRole('link', { name: 'of-now' }).waitFor();
    await lookAt(page, 'deliveries-time');
    await page.getByLabel('To', { exact: true }).fill('2020-01-01T00:00:00');
    await page.keyboard.press('Enter');
    await page.getByText('The end must be after the start').waitFor();
    await page.getByLabel('From', { exact: true }).fill('2019-12-31T00:00:00');
    await page.keyboard.press('Enter');
    await page.getByText('No matching deliveries').waitFor();
    const searched = new URL(page.url()).searchParams;
    expect(searched.get('to')).toBe(await page.evaluate(`new Date('2020-01-01T00:00:00').toISOString()`));
    await page.reload();
    await page.getByText('No matching deliveries').waitFor();
    await expect.poll(() => page.getByLabel('To', { exact: true }).inputValue()).toMatch(/^2020-01-01T00:00/);
    await page.getByRole('button', { name: 'Any time' }).last().click();
    await page.getByRole('link', { name: 'of-now' }).waitFor();
  });

  it('offer to clear filters without matches', { tags: 'full' }, async () => {
    await send('relaxed-1');
    const page = await signIn(factory.daemon, `${PATH}?webhook=${quiet}&id=relaxed-1&label=Accepted&last=7d`);
    await page.getByText('No matching deliveries').waitFor();
    await lookAt(page, 'deliveries-no-hit');
    await page.getByRole('button', { name: 'All webhooks' }).last().click();
    await page.getByRole('link', { name: 'relaxed-1' }).waitFor();
    await page.setViewportSize(NARROW);
    await lookAt(page, 'deliveries-filtered-narrow');
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });

  it.each([
    ['all webhooks', ''],
    ['one webhook', 'webhook=UID'],
    ['a label', 'label=Accepted'],
    ['a delivery ID', 'id=NEW'],
    ['the last hour', 'last=1h'],
    ['an open time range', 'from=2020-01-01T00:00:00Z&to=2999-01-01T00:00:00Z'],
  ])('appear when they arrive, filtered by %s', { tags: 'full' }, async (view, search) => {
    const id = `new-${view.replaceAll(' ', '-')}`;
    const filter = search.replace('UID', factory.uid).replace('NEW', id);
    const page = await signIn(factory.daemon, `${PATH}?${filter}`);
    await page.getByRole('search').waitFor();
    await page.mouse.move(0, 0);
    await page
      .getByText(view === 'a delivery ID' ? 'No matching deliveries' : 'Accepted')
      .first()
      .waitFor();
    await send(id);
    await page.getByRole('link', { name: id }).waitFor();
  });

  it('appear when they arrive, but not under the pointer or while a row is open', { tags: 'full' }, async () => {
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
    await expect.poll(() => page.getByRole('link', { name: 'live-3' }).count()).toBe(0);
    await page.getByRole('button', { name: '2 new' }).click();
    await page.getByRole('link', { name: 'live-4' }).waitFor();
  });

  it('are read again after the connection was lost', { tags: 'full' }, async () => {
    const page = await signIn(factory.daemon, `${PATH}?label=Accepted`);
    await page.getByRole('link').first().waitFor();
    await page.mouse.move(0, 0);
    await page.context().setOffline(true);
    await send('while-offline');
    await page.context().setOffline(false);
    await page.getByRole('link', { name: 'while-offline' }).waitFor();
  });

  it('are complete on older pages after live events have moved rows to them', { tags: 'full' }, async () => {
    for (let i = 0; i < 60; i += 1) await send(`moved-${i}`);
    const page = await signIn(factory.daemon, `${PATH}?webhook=${factory.uid}&label=Accepted`);
    await page.getByRole('link', { name: 'moved-59' }).waitFor();
    await page.mouse.move(0, 0);
    for (let i = 60; i < 65; i += 1) await send(`moved-${i}`);
    await page.getByRole('link', { name: 'moved-64' }).waitFor();
    const listMoved = () => page.getByRole('link', { name: /^moved-/ }).allTextContents();
    await expect.poll(async () => (await listMoved()).length).toBe(50);
    expect((await listMoved()).at(-1)).toBe('moved-15');
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('link', { name: 'moved-14', exact: true }).waitFor();
    expect(await listMoved()).toEqual(Array.from({ length: 15 }, (_, i) => `moved-${14 - i}`));
  });

  it('appear after returning from another page', { tags: 'full' }, async () => {
    await send('before-1');
    const page = await signIn(factory.daemon, `${PATH}?webhook=${factory.uid}&label=Accepted`);
    await page.getByRole('link', { name: 'before-1' }).waitFor();
    await page.getByRole('link', { name: 'Secrets' }).click();
    await page.getByRole('heading', { name: 'Secrets', level: 1 }).waitFor();
    await send('while-away');
    await page.goBack();
    await page.getByRole('link', { name: 'while-away' }).waitFor();
  });

  it('have pages', { tags: 'full' }, async () => {
    for (let i = 0; i < 60; i += 1) await send(`paged-${i}`);
    const page = await signIn(factory.daemon, `${PATH}?webhook=${factory.uid}&label=Accepted`);
    await page.getByRole('link', { name: 'paged-59' }).waitFor();
    // Two clicks while the page is loading go one page further.
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/[?&]cursor=/, (route) => isAnswered.then(() => route.continue()), { times: 1 });
    await page.getByRole('button', { name: 'Older' }).press('Enter');
    await page.getByRole('button', { name: 'Older' }).press('Enter');
    answer();
    const older = page.getByRole('link', { name: 'paged-9', exact: true });
    await older.waitFor();
    await expect.poll(() => page.evaluate('scrollY')).toBe(0);
    await detailsOf(page, 'paged-9').click();
    await page.getByRole('region', { name: 'Payload' }).waitFor();
    await page.reload();
    await older.waitFor();
    await page.getByRole('region', { name: 'Payload' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'paged-59' }).waitFor();
    await page.goForward();
    await older.waitFor();
    await page.getByRole('button', { name: 'Newer' }).click();
    await page.getByRole('link', { name: 'paged-59' }).waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await older.waitFor();
    await page.getByRole('button', { name: 'Newest' }).click();
    await page.getByRole('link', { name: 'paged-59' }).waitFor();
    // The button for new rows is visible after scrolling down.
    await page.getByRole('link', { name: 'paged-15', exact: true }).hover();
    await send('while-down');
    const offer = page.getByRole('button', { name: '1 new' });
    await offer.waitFor();
    const header = (await page.getByRole('banner').boundingBox())!;
    expect((await offer.boundingBox())!.y).toBeGreaterThanOrEqual(header.height);
    expect((await offer.boundingBox())!.y).toBeLessThan(200);
    await offer.click();
    await page.getByRole('link', { name: 'while-down' }).waitFor();
  });
});
