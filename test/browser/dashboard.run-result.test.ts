import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt } from '../helpers/dashboard.ts';
import { type DashboardFactory, startDashboardFactory } from '../helpers/dashboard-factory.ts';
import { eventually } from '../helpers/eventually.ts';

const SCRIPT = '<img src=x onerror="globalThis.hasRun = true">';
const RESULT = {
  summary: `Fixed the flaky test.\n\u202e${SCRIPT}`,
  links: [{ title: `Pull request 42 ${SCRIPT}`, url: 'https://git.example.com/pull/42' }],
  artifacts: [{ name: 'Test report', path: 'event-payload.json' }],
};
/** Writes the text in the key `result` of the payload to result.json. */
const SHELL = `${process.execPath} -e 'fs.writeFileSync("result.json", JSON.parse(fs.readFileSync("event-payload.json")).result)'`;

describeDashboard('the result of a run', ({ signIn }) => {
  let factory: DashboardFactory;
  beforeAll(async () => {
    factory = await startDashboardFactory(SHELL);
  });
  afterAll(() => factory?.daemon.end('SIGTERM'));

  const runWith = async (result: string): Promise<string> => {
    await factory.send(JSON.stringify({ start: true, result }));
    return eventually(async () => {
      const { body } = await factory.daemon.api('/factories/payments/runs?limit=1');
      return body.data[0]?.result === null ? undefined : (body.data[0]?.id as string | undefined);
    });
  };

  it('has a summary, links and artifacts, all as text', { tags: 'full' }, async () => {
    const id = await runWith(JSON.stringify(RESULT));
    const page = await signIn(factory.daemon, `/factories/payments/runs/${id}`);
    const panel = page.getByRole('region', { name: 'Result' });
    await panel.getByText('Fixed the flaky test.').waitFor();
    expect(await panel.textContent()).toContain(`\\u{202e}${SCRIPT}`);
    const link = panel.getByRole('link', { name: /Pull request 42/ });
    expect(await link.getAttribute('href')).toBe('https://git.example.com/pull/42');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      panel.getByRole('link', { name: 'Test report' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('event-payload.json');
    expect(readFileSync(await download.path(), 'utf8')).toContain('Fixed the flaky test');
    expect(await page.evaluate('globalThis.hasRun')).toBeUndefined();
    await lookAt(page, 'run-result');
  });

  it('is searched in the list of runs', { tags: 'full' }, async () => {
    const page = await signIn(factory.daemon, '/factories/payments/runs');
    const search = page.getByRole('textbox', { name: 'Result contains' });
    await search.fill('FLAKY');
    await search.press('Enter');
    await expect.poll(() => page.url()).toContain('search=FLAKY');
    await page.getByRole('link', { name: 'build' }).first().waitFor();
    await search.fill('nothing like this');
    await search.press('Enter');
    await page.getByRole('heading', { name: 'No matching runs' }).waitFor();
  });

  it('is a note if the file is broken', { tags: 'full' }, async () => {
    const id = await runWith('{');
    const page = await signIn(factory.daemon, `/factories/payments/runs/${id}`);
    await page.getByText(/result\.json is not used: it is not valid JSON/).waitFor();
    await lookAt(page, 'run-result-broken');
  });
});
