import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeDashboard, lookAt } from '../helpers/dashboard.ts';
import { type DashboardFactory, startDashboardFactory } from '../helpers/dashboard-factory.ts';
import { eventually } from '../helpers/eventually.ts';

let factory: DashboardFactory;
/** Of the runs in the order of their creation: the first ended last, and failed. */
let runs: { slow: string; quick: string };

beforeAll(async () => {
  factory = await startDashboardFactory(
    'case "$(cat event-payload.json)" in *slow*) wait end; exit 3 ;; *stuck*) wait never ;; esac',
  );
  const slow = await start('slow');
  const quick = await start('quick');
  await waitFor(quick, 'succeeded');
  factory.signal('end');
  await waitFor(slow, 'failed');
  runs = { slow, quick };
});
afterAll(() => factory?.daemon.end('SIGTERM'));

async function start(kind: string): Promise<string> {
  expect((await factory.send(JSON.stringify({ start: true, kind }))).status).toBe(202);
  return eventually(async () => {
    const { body } = await factory.daemon.api('/factories/payments/deliveries?limit=1');
    return body.data[0]?.runs[0] as string | undefined;
  });
}

const waitFor = (run: string, state: string) =>
  eventually(async () => (await factory.daemon.api(`/runs/${run}`)).body.state === state);

describe('the last run of an automation', () => {
  it('is the one that ended last, in the list and in the story', { tags: 'full' }, async () => {
    const { body } = await factory.daemon.api('/factories/payments/automations/build');
    expect(body.results.last_run).toMatchObject({ id: runs.slow, state: 'failed' });
    const { stdout } = await factory.daemon.cli('why', 'automation:build');
    expect(stdout).toContain(
      `The last run of build ended at ${body.results.last_run.finished_at}. The run of build failed`,
    );
    expect(stdout).toContain('Of the last 2 ended runs, 1 failed');
    expect(stdout).toContain(`Show its last run: dockbell why ${runs.slow}`);
    expect(stdout.indexOf('The run of build succeeded')).toBeLessThan(stdout.lastIndexOf('The run of build failed'));
  });
});

describeDashboard('the pages of automations', ({ signIn }) => {
  it('show one last run, with one request for all automations', { tags: 'full' }, async () => {
    const page = await signIn(factory.daemon, '/factories/payments');
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    await page.getByRole('link', { name: 'Automations', exact: true }).first().click();
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'build', exact: true }) });
    await row.getByText('failed', { exact: true }).waitFor();
    await expect.poll(() => row.textContent()).not.toContain('succeeded');
    expect(asked.filter((url) => url.includes('/runs?'))).toEqual([]);
    await row.getByRole('link', { name: 'build', exact: true }).click();
    await page.getByText('Results: 1 of the last 2 runs failed').waitFor();
    await lookAt(page, 'last-run');
    expect(asked.filter((url) => url.includes('/runs?'))).toEqual([]);
  });
});

it('a run that waits in a pause is named once, and not as started', { tags: 'full' }, async () => {
  const paused = await factory.daemon.api('/factories/payments/automations/build/pause', { method: 'POST', body: {} });
  expect(paused.status).toBeLessThan(300);
  const queued = await start('stuck');
  await waitFor(queued, 'queued');
  const { stdout } = await factory.daemon.cli('why', 'automation:build');
  const answer = stdout.split('\n')[2]!;
  expect(answer).toContain('The run of build is queued.');
  expect(answer.match(/paused/g)).toHaveLength(1);
  expect(answer).not.toContain('last started');
});
