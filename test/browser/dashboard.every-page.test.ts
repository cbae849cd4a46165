import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkWidth, describeDashboard, lookAtBothThemes, moveTo, NARROW } from '../helpers/dashboard.ts';
import { type DashboardFactory, startDashboardFactory } from '../helpers/dashboard-factory.ts';
import { locate } from '../helpers/documents.ts';
import { eventually } from '../helpers/eventually.ts';

// Not imported by its name, because the compiler would treat the pages as part of the tests.
const { ROUTES } = (await import(locate('src/dashboard/routes.ts').href)) as {
  ROUTES: readonly { path: string }[];
};

/** Widths around which the navigation folds and rows become cards, and common ones in between. */
const WIDTHS = [1920, 1440, 1100, 1050, 1024, 1000, 900, 800, 768, 767, 600, 390, 320];

const LONG = 'a-name-that-is-as-long-as-people-make-them-when-nobody-stops-them-and-then-a-little-longer-x';

const PAGES = ROUTES.map(({ path }) => path);
const OUTSIDE = ['/login', '/nowhere', '/factories/nobody/webhooks'];

/** Opens each page of the dashboard. The tests with the tag make each as narrow as a phone, and dark. */
describeDashboard('every page of the dashboard', ({ openPage, signIn }) => {
  let factory: DashboardFactory;
  const ids: Record<string, string> = { factory: 'payments', name: LONG };
  beforeAll(async () => {
    factory = await startDashboardFactory('echo "$DOCKBELL_WEBHOOK"; exit 0');
    const { daemon, uid } = factory;
    const filter = { webhooks: ['ci'], payload: { data: { object: { status: ['paid'] } } } };
    const triggers = [{ provider: 'webhook', event: 'received', filter }];
    const automation = { name: LONG, description: `${LONG} ${LONG}`, triggers, prompt: `Look. ${LONG.repeat(4)}` };
    expect((await daemon.api('/factories/payments/automations', { method: 'POST', body: automation })).status).toBe(
      201,
    );
    expect((await daemon.api('/factories/payments/webhooks', { method: 'POST', body: { name: LONG } })).status).toBe(
      201,
    );
    for (const [i, text] of ['{"start": true}', '{"data": {"object": {"status": "open"}}}', '{"broken'].entries()) {
      await factory.send(text, { 'x-service-delivery-id': `${LONG}-${i}` });
    }
    await factory.send('{}', { authorization: 'Bearer wrong-wrong-wrong-wrong' });
    const list = async (path: string) => (await daemon.api(path)).body.data;
    const run = await eventually(async () => (await list('/factories/payments/runs?state=succeeded'))[0], 60_000);
    const [pass] = await list('/factories/payments/reconciliations');
    const replay = { method: 'POST', body: { webhook: uid, rate: 1000 } };
    Object.assign(ids, {
      uid,
      replays: (await daemon.api('/factories/payments/replays', replay)).body.id,
      deliveries: run.delivery,
      runs: run.id,
      reconciliations: pass.id,
      commits: pass.revision,
    });
    ids.secrets = (await daemon.api(`/factories/payments/webhooks/${uid}`)).body.secret_name;
  });
  afterAll(() => factory?.daemon.end('SIGTERM'));

  /** The path of the page in this test. An `:id` is that of the list before it. Add values of new parameters above. */
  const addressOf = (path: string) =>
    path.replace(/([^/]+)\/:(\w+)/g, (_, list: string, parameter: string) => {
      const id = ids[parameter === 'id' ? list : parameter];
      if (id === undefined) throw new Error(`Add a value for ":${parameter}" in ${path} above.`);
      return `${list}/${encodeURIComponent(id)}`;
    });
  const settle = async (page: Page) => {
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.locator('.mantine-Skeleton-root, .mantine-Loader-root').count()).toBe(0);
    await expect.poll(() => page.getByRole('heading', { name: 'Page not found' }).count()).toBe(0);
    await expect
      .poll(() => page.getByRole('button', { name: 'Try again' }).count(), { message: 'pages that failed' })
      .toBe(0);
  };
  const nameOf = (path: string) =>
    `page${path.replace(/^\/factories\/:factory/, '').replace(/\W+/g, '-') || '-overview'}`;

  const open = async (path: string) => {
    if (OUTSIDE.includes(path)) {
      const page = path === '/login' ? await openPage() : await signIn(factory.daemon);
      await page.goto(factory.daemon.adminUrl + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      return page;
    }
    const page = await signIn(factory.daemon, addressOf(path));
    await settle(page);
    return page;
  };

  const narrow = async (page: Page, path: string) => {
    await page.setViewportSize(NARROW);
    if (!OUTSIDE.includes(path)) await settle(page);
  };

  it('opens, within the window', { timeout: 600_000 }, async () => {
    const page = await signIn(factory.daemon, '/nowhere');
    for (const path of PAGES) {
      // The heading of the page before is shown until this one is loaded.
      await page.evaluate(`for (const heading of document.querySelectorAll('h1')) heading.dataset.isOld = ''`);
      await moveTo(page, addressOf(path));
      await page.locator('h1:not([data-is-old])').waitFor();
      await settle(page);
      await checkWidth(page);
    }
  });

  it.each([...PAGES, ...OUTSIDE])(
    'is without barriers in both themes, and fits on a phone: %s',
    {
      tags: 'full',
    },
    async (path) => {
      const page = await open(path);
      await lookAtBothThemes(page, nameOf(path));
      await narrow(page, path);
      await checkWidth(page);
      await lookAtBothThemes(page, `${nameOf(path)}-narrow`);
    },
  );

  it('opens each by its address, and keeps tables within their frames, from 320 to 1,920 pixels', {
    tags: 'full',
    timeout: 600_000,
  }, async () => {
    const page = await signIn(factory.daemon);
    for (const path of PAGES) {
      await page.setViewportSize({ width: WIDTHS[0]!, height: 800 });
      await page.goto(factory.daemon.adminUrl + addressOf(path));
      await settle(page);
      for (const width of isList(path) ? WIDTHS : []) {
        await page.setViewportSize({ width, height: 800 });
        await expect.poll(() => page.evaluate(LISTS_TOO_WIDE), { message: `${path} at ${width} pixels` }).toEqual([]);
      }
    }
  });
});

/** Pages with tables: addresses that do not end with a name or ID, and are not forms. */
function isList(path: string): boolean {
  return !/(?::id|:uid|:name|new|edit|about)$/.test(path);
}

/** Elements that are wider than their container; evaluated in the page. */
const LISTS_TOO_WIDE = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const header = document.querySelector('header');
  const tables = [...document.querySelectorAll('table[role="table"]')];
  return [
    ...(scrollWidth === clientWidth ? [] : ['page ' + scrollWidth + ' > ' + clientWidth]),
    ...(header.scrollWidth <= header.clientWidth ? [] : ['header ' + header.scrollWidth + ' > ' + header.clientWidth]),
    ...tables
      .filter((table) => table.scrollWidth > table.parentElement.clientWidth)
      .map((table) => table.getAttribute('aria-label') + ' ' + table.scrollWidth + ' > ' + table.parentElement.clientWidth),
  ];
})()`;
