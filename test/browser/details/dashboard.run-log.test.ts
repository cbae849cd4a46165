import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt, NARROW } from '../../helpers/dashboard.ts';
import { type DashboardFactory, startDashboardFactory } from '../../helpers/dashboard-factory.ts';
import { eventually } from '../../helpers/eventually.ts';
import { createTempDir } from '../../helpers/temp-dir.ts';

const LINES = 100_000;

describeDashboard('the log of a run', ({ signIn }) => {
  let factory: DashboardFactory;
  let id: string;
  let output: string;

  beforeAll(async () => {
    const file = join(createTempDir('long-log'), 'log.txt');
    output = Array.from({ length: LINES }, (_, i) => writeLine(i)).join('');
    writeFileSync(file, output);
    factory = await startDashboardFactory(`cat ${file}`);
    await factory.send('{"start": true}');
    const ended = async () => (await factory.daemon.api('/factories/payments/runs?state=succeeded')).body.data[0];
    id = (await eventually(ended, 60_000)).id;
  });
  afterAll(() => factory?.daemon.end('SIGTERM'));

  const writeLine = (i: number) => {
    if (i % 1_000 === 0) return `\x1b[31mError\x1b[0m number ${i}\n`;
    return i % 3 === 0 ? `\x1b[32m✓\x1b[0m test ${i} \x1b[2m(12 ms)\x1b[0m\n` : `compiling part ${i} of the program\n`;
  };
  const open = async (viewport?: typeof NARROW) => {
    const page = await signIn(factory.daemon, `/factories/payments/runs/${id}`, viewport);
    await logOf(page)
      .getByText(`test ${LINES - 1} (12`)
      .waitFor();
    return page;
  };
  const logOf = (page: Page) => page.getByRole('region', { name: 'Log' });
  const matchCount = (page: Page) => page.getByRole('search', { name: 'Log' }).getByRole('status');

  it('renders only the lines near the visible part', { tags: 'full' }, async () => {
    const page = await open();
    const log = logOf(page);
    const countLines = () => log.locator('[data-line]').count();
    expect(await countLines()).toBeLessThan(2_000);
    expect(await log.evaluate((el) => el.scrollHeight)).toBeGreaterThan(LINES * 10);
    await log.evaluate((el) => el.scrollTo({ top: el.scrollHeight / 2 }));
    await expect.poll(() => log.locator('[data-line="50001"]').count()).toBe(1);
    expect(await countLines()).toBeLessThan(4_000);
  });

  it('is searched with the keyboard, and goes to each match', { tags: 'full' }, async () => {
    const page = await open();
    const field = page.getByRole('textbox', { name: 'Search the log' });
    await field.fill('error NUMBER');
    await expect.poll(() => matchCount(page).textContent()).toBe('1 of 100');
    const current = logOf(page).locator('mark[aria-current]');
    const lineOf = () => current.first().locator('xpath=ancestor::*[@data-line]').getAttribute('data-line');
    await expect.poll(lineOf).toBe('1');
    await field.press('Enter');
    await field.press('Enter');
    await expect.poll(lineOf).toBe('2001');
    await expect.poll(() => current.first().evaluate(isInView)).toBe(true);
    await lookAt(page, 'run-log-search');
    await field.press('Shift+Enter');
    await expect.poll(lineOf).toBe('1001');
    await page.getByRole('button', { name: 'Previous match' }).click();
    await page.getByRole('button', { name: 'Previous match' }).click();
    await expect.poll(() => matchCount(page).textContent()).toBe('100 of 100');
    await expect.poll(lineOf).toBe('99001');
    await expect.poll(() => current.first().evaluate(isInView)).toBe(true);
    await field.fill('not in the log');
    await expect.poll(() => matchCount(page).textContent()).toBe('No matches');
    await field.press('Escape');
    await expect.poll(() => matchCount(page).textContent()).toBe('');
    await page.getByRole('button', { name: 'Jump to end' }).click();
    await expect
      .poll(() => logOf(page).evaluate((el) => el.scrollHeight - el.scrollTop - el.clientHeight < 5))
      .toBe(true);
  });

  it('shows the time of each line, which can be switched off', { tags: 'full' }, async () => {
    const page = await open();
    const times = logOf(page).locator('time');
    const { body } = await factory.daemon.api(`/runs/${id}/log/times`);
    expect(body.data[0].offset).toBe(0);
    const last = times.last();
    expect(await last.getAttribute('datetime')).toBe(body.data.at(-1).at);
    expect(await last.getAttribute('data-time')).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(await times.count()).toBe(await logOf(page).locator('[data-line]').count());
    await page.getByRole('switch', { name: 'Times' }).uncheck();
    await expect.poll(() => times.count()).toBe(0);
  });

  it('is downloaded as a file named after the run, with the exact bytes', { tags: 'full' }, async () => {
    const page = await open();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${id}.log`);
    expect(readFileSync(await download.path(), 'utf8')).toBe(output);
  });

  it('fits on a narrow screen', { tags: 'full' }, async () => {
    const page = await open(NARROW);
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width);
    await lookAt(page, 'run-log-narrow');
  });
});

/** Runs in the page. */
const isInView = new Function(
  'element',
  `const view = element.closest('section').getBoundingClientRect();
   const { top, bottom } = element.getBoundingClientRect();
   return top >= view.top && bottom <= view.bottom;`,
) as () => boolean;
