import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt, NARROW } from '../helpers/dashboard.ts';
import { type DashboardFactory, startDashboardFactory } from '../helpers/dashboard-factory.ts';
import { eventually } from '../helpers/eventually.ts';

const SCRIPT = '<script>globalThis.hasRun = true</script>';
// The control sequences clear the screen, colour the text and set the title of a terminal.
const SHELL = `
printf '\\033[2J\\033[31mred\\033[0m \\033]0;title\\007\\001 ${SCRIPT}\\n'
printf '10%%\\r50%%\\r100%% done\\n'
printf '\\033[1mbold\\033[0m \\033[2mdim\\033[0m \\033[44mon blue\\033[0m \\033[7minverse\\033[0m \\033[38;2;250;250;0mexact\\033[0m\\n'
i=30; while [ $i -lt 38 ]; do printf "\\033[$((i))mcolor $i \\033[$((i+60))mbright\\033[0m\\n"; i=$((i+1)); done
i=0; while [ $i -lt 200 ]; do echo "line $i"; i=$((i+1)); done
wait more
i=0; while [ $i -lt 50 ]; do echo "more $i"; i=$((i+1)); done
wait end
echo the end
`;

describeDashboard('the runs', ({ signIn }) => {
  let factory: DashboardFactory;
  beforeAll(async () => {
    factory = await startDashboardFactory(SHELL);
  });
  afterAll(() => factory?.daemon.end('SIGTERM'));

  const startRun = async (body: object): Promise<string> => {
    const sent = await factory.send(JSON.stringify({ start: true, ...body }));
    return eventually(async () => {
      const { body: runs } = await factory.daemon.api('/factories/payments/runs?state=running');
      const isOfSent = (run: { delivery_id: string }) => run.delivery_id === sent.body.delivery_id;
      return runs.data.find(isOfSent)?.id as string | undefined;
    });
  };

  it('explain how to start the first run', { tags: 'full' }, async () => {
    const page = await signIn(factory.daemon, '/factories/payments/runs');
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
    await lookAt(page, 'runs-empty');
  });

  it('show the growing log, keep the scroll position, and show the final state', async () => {
    const id = await startRun({ n: 1 });
    const page = await signIn(factory.daemon, `/factories/payments/runs/${id}`);
    const log = page.getByRole('region', { name: 'Log' });
    await log.getByText('line 199').waitFor();
    const atEnd = () => log.evaluate((el) => el.scrollHeight - el.scrollTop - el.clientHeight < 5);
    await expect.poll(atEnd).toBe(true);
    await log.evaluate((el) => el.scrollTo({ top: 40 }));
    await expect.poll(() => log.textContent()).toContain(`red \\x01 ${SCRIPT}\n100% done\n`);
    // Runs in the page.
    const readColor = new Function('element', 'return getComputedStyle(element).color') as () => string;
    const colorOf = (text: string) => log.getByText(text, { exact: true }).evaluate(readColor);
    expect(await colorOf('red')).not.toBe(await colorOf('bold'));
    await page.getByRole('button', { name: 'Jump to end' }).waitFor();
    factory.signal('more');
    await log.getByText('more 49').waitFor({ state: 'attached' });
    expect(await log.evaluate((el) => el.scrollTop)).toBe(40);
    await lookAt(page, 'run');
    await page.getByRole('button', { name: 'Jump to end' }).click();
    await expect.poll(atEnd).toBe(true);
    factory.signal('end');
    await log.getByText('the end').waitFor();
    await expect.poll(atEnd).toBe(true);
    await page.getByText('succeeded', { exact: true }).waitFor();
    await page.getByText('Attempt 1 of build succeeded').waitFor();
    expect(await page.evaluate('globalThis.hasRun')).toBeUndefined();
  });

  it('show their input', { tags: ['full', 'continues'] }, async () => {
    const { body: runs } = await factory.daemon.api('/factories/payments/runs');
    const page = await signIn(factory.daemon, `/factories/payments/runs/${runs.data[0].id}`);
    await page.getByRole('tab', { name: 'Input' }).click();
    await page.getByRole('region', { name: 'prompt' }).getByText('Build it.').waitFor();
    await page.getByRole('link', { name: 'event-payload.json' }).waitFor();
    await lookAt(page, 'run-input');
  });

  it('are retried with the same log after a confirmation', { tags: ['full', 'continues'] }, async () => {
    const { body: runs } = await factory.daemon.api('/factories/payments/runs?state=succeeded');
    const page = await signIn(factory.daemon, `/factories/payments/runs/${runs.data[0].id}`);
    await page.getByText('the end').waitFor();
    await page.getByRole('button', { name: 'Retry run' }).click();
    await page.getByText('Its output is appended to the log.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry run' }).click();
    await expect.poll(() => page.getByText('the end').count()).toBe(1);
    await page.getByRole('textbox', { name: 'Search the log' }).fill('the end');
    await page.getByRole('status').getByText('1 of 2').waitFor();
    const attempts = page.getByRole('table', { name: 'Attempts' });
    await attempts.getByRole('row').filter({ hasText: 'The delivery' }).waitFor();
    await attempts.getByRole('row').filter({ hasText: 'login link' }).waitFor();
    await page.getByText('Attempt 2', { exact: true }).click();
    const log = page.getByRole('region', { name: 'Log' });
    await log.getByText('the end').waitFor();
    const readFirstLine = async () => {
      // Again, because the log follows its end until the list has noticed the scroll.
      await log.evaluate((el) => el.scrollTo({ top: 0 }));
      return (await log.textContent())?.trimStart().split('\n', 1)[0];
    };
    await expect.poll(readFirstLine).toMatch(/attempt 2,/);
    expect((await log.textContent())?.split('the end').length).toBe(2);
    await lookAt(page, 'run-attempts');
  });

  it('are added and updated by live events, without a request for the list', {
    tags: ['full', 'continues'],
  }, async () => {
    const page = await signIn(factory.daemon, '/factories/payments/runs');
    await page.getByRole('table').waitFor();
    await page.mouse.move(0, 0);
    const listed = await page.getByRole('row').count();
    const requests: string[] = [];
    page.on('request', (request) => void requests.push(new URL(request.url()).pathname));
    const id = await startRun({ n: 'live' });
    const row = page.getByRole('row').filter({ has: page.locator(`a[href$="/runs/${id}"]`) });
    // The signals of the first test have been sent, so the run ends.
    await row.getByText('succeeded').waitFor();
    expect(await page.getByRole('row').count()).toBe(listed + 1);
    expect(requests.filter((path) => path.endsWith('/runs'))).toEqual([]);
  });

  it('are filtered by state and automation', { tags: ['full', 'continues'] }, async () => {
    const page = await signIn(factory.daemon, '/factories/payments/runs');
    await page.getByRole('link', { name: 'build' }).first().waitFor();
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'failed' }).click();
    await page.getByRole('heading', { name: 'No matching runs' }).waitFor();
    await expect.poll(() => page.url()).toContain('state=failed');
    const narrow = await signIn(factory.daemon, '/factories/payments/runs?automation=build', NARROW);
    await narrow.getByRole('link', { name: 'build' }).first().waitFor();
    await expect.poll(() => narrow.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width);
  });
});

describeDashboard('runs of a webhook that serves a provider', ({ signIn }) => {
  let factory: DashboardFactory;
  beforeAll(async () => {
    factory = await startDashboardFactory('exit 0');
    expect(await factory.daemon.cli('webhook', 'update', 'ci', '--serves', 'github')).toMatchObject({ code: 0 });
  });
  afterAll(() => factory?.daemon.end('SIGTERM'));

  it('show what the event is about, and which deliveries the loop guard held back', { tags: 'full' }, async () => {
    const html_url = 'https://github.com/acme/shop/issues/12';
    const sender = { login: `<b>ann</b>${SCRIPT}` };
    const event = { start: true, issue: { number: 12, html_url }, repository: { full_name: 'acme/shop' }, sender };
    for (let n = 0; n < 11; n += 1) await factory.send(JSON.stringify({ ...event, n }));
    const { body: runs } = await factory.daemon.api('/factories/payments/runs');
    const page = await signIn(factory.daemon, `/factories/payments/runs/${runs.data[0].id}`);
    await page.getByText('acme/shop', { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: html_url }).getAttribute('href')).toBe(html_url);
    await page.getByText(sender.login).waitFor();
    await lookAt(page, 'run-context');
    const { body: deliveries } = await factory.daemon.api('/factories/payments/deliveries');
    await page.goto(`${factory.daemon.adminUrl}/factories/payments/deliveries/${deliveries.data[0].id}`);
    await page
      .getByText('build did not start: it has had 10 runs for github acme/shop 12 within 10 minutes')
      .first()
      .waitFor();
    expect(await page.evaluate('globalThis.hasRun')).toBeUndefined();
  });
});

describeDashboard('runs with the same key', ({ signIn }) => {
  let factory: DashboardFactory;
  beforeAll(async () => {
    factory = await startDashboardFactory('wait never');
    const concurrency = { key: 'branch', mode: 'latest', cancelRunning: true };
    await factory.changeAutomation({ concurrency });
  });
  afterAll(() => factory?.daemon.end('SIGTERM'));

  it('show their key, and the newer run that replaced them', { tags: 'full' }, async () => {
    for (const n of [1, 2]) await factory.send(JSON.stringify({ start: true, branch: `<b>${n % 1}</b>`, n }));
    const replaced = await eventually(async () => {
      const { body } = await factory.daemon.api('/factories/payments/runs?state=cancelled');
      return body.data[0];
    });
    const page = await signIn(factory.daemon, '/factories/payments/runs');
    const row = page
      .getByRole('row')
      .filter({ has: page.locator(`a[href$="/runs/${replaced.id}"]`) })
      .last();
    await row.getByText('Key ["<b>0</b>"]').waitFor();
    const newer = row.getByRole('link', { name: 'a newer run' });
    expect(await newer.getAttribute('href')).toContain(replaced.superseded_by);
    await lookAt(page, 'runs-superseded');
    await row.getByRole('link', { name: 'build' }).click();
    await page.getByText('Concurrency key', { exact: true }).waitFor();
    await page.getByRole('link', { name: replaced.superseded_by }).first().click();
    await expect.poll(() => page.url()).toContain(replaced.superseded_by);
    await page.getByText('["<b>0</b>"]').first().waitFor();
  });

  it('show the progress that their receiver reports, and the deadline', { tags: 'full' }, async () => {
    const { body } = await factory.daemon.api('/factories/payments/runs?state=running');
    const [run] = body.data;
    const progress = { percent: 40, text: '<i>tests</i>' };
    const held_until = new Date(Date.now() + 60_000).toISOString();
    const attempts = [{ ...run.attempts[0], progress, held_until }];
    const page = await signIn(factory.daemon, '/factories/payments/runs');
    // No receiver runs here: the run of the command gets what one would have reported.
    await page.route(`**/api/v1/runs/${run.id}`, (route) => route.fulfill({ json: { ...run, attempts } }));
    await page.getByRole('link', { name: 'build' }).first().click();
    await page.getByText('40%, <i>tests</i>').waitFor();
    await page.getByText('Deadline').waitFor();
    await lookAt(page, 'run-progress');
  });
});

describeDashboard('a run that does not finish', ({ signIn }) => {
  let factory: DashboardFactory;
  beforeAll(async () => {
    factory = await startDashboardFactory('echo waiting\nwait never');
  });
  afterAll(() => factory?.daemon.end('SIGTERM'));

  it('is cancelled after a confirmation', { tags: 'full' }, async () => {
    await factory.send('{"start": true}');
    const page = await signIn(factory.daemon, '/factories/payments/runs');
    await page.getByRole('link', { name: 'build' }).click();
    await page.getByRole('region', { name: 'Log' }).getByText('waiting').waitFor();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('Changes that the run already made are not undone.').waitFor();
    await lookAt(page, 'run-cancel');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('cancelled', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Retry run' }).waitFor();
  });

  it('is retried with all that match a filter, after a confirmation with their number', { tags: 'full' }, async () => {
    const page = await signIn(factory.daemon, '/factories/payments/runs');
    await page.getByRole('link', { name: 'build' }).first().waitFor();
    const retry = page.getByRole('button', { name: 'Retry all that match' });
    expect(await retry.count()).toBe(0);
    await page.getByRole('checkbox', { name: 'Dead letters' }).check();
    await page.getByRole('heading', { name: 'No matching runs' }).waitFor();
    expect(page.url()).toContain('deadLetter=true');
    await retry.click();
    await page.getByText('No runs match, so nothing is retried.').waitFor();
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Retry 0 runs' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'cancelled' }).click();
    await page.getByRole('link', { name: 'build' }).waitFor();
    expect(await page.getByRole('checkbox', { name: 'Dead letters' }).isChecked()).toBe(false);
    await retry.click();
    await page.getByText('1 run is executed again').waitFor();
    await lookAt(page, 'runs-retry');
    await page.getByRole('dialog').getByRole('button', { name: 'Retry 1 run' }).click();
    await page.getByText('1 run queued again.').waitFor();
    await page.getByRole('heading', { name: 'No matching runs' }).waitFor();
    const { body } = await factory.daemon.api('/factories/payments/runs');
    expect(body.data).toMatchObject([{ attempt: 2 }]);
  });
});
