import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from '../test/helpers/find-chromium.ts';
import { createTempDir } from '../test/helpers/temp-dir.ts';
import type { DaemonProcess } from '../test/helpers/test-daemon.ts';
import { fillDeliveryLog } from './fill-delivery-log.ts';
import { endBenchDaemon, startBenchDaemon } from './kit/bench-daemon.ts';
import { type Benchmark, type BenchOptions, divide, row, type Table } from './kit/benchmark.ts';

/**
 * Pages of the dashboard and their requests on a log of 1,000,000 deliveries, compared with 10,000. A real browser uses two
 * daemons in turns.
 */
export const benchmark: Benchmark = {
  summary: 'pages of the dashboard and their requests on 1,000,000 deliveries, compared with 10,000',
  isDurable: false,
  defaults: { rounds: 5, seconds: 1 },
  run,
};

const SIZES = [10_000, 1_000_000] as const;
/** Enough for `LAST_PAGE` pages, and for a rejection in the last 24 hours, which the Overview shows. */
const QUICK_SIZES = [10_000, 10_100] as const;
const WEBHOOKS = 10;
const DAY_MS = 86_400_000;
const SPAN_MS = 7 * DAY_MS;
const LAST_PAGE = 100;
const config = {
  retention: { deliveries: '30d', runs: '30d' },
  factories: [{ name: 'bench', source: { type: 'live' } }],
};

const MARK_FIRST_ROW = `new MutationObserver((_, observer) => {
  if (document.querySelector('tbody a') === null) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => performance.mark('first row')));
}).observe(document, { childList: true, subtree: true })`;

let browser: Browser;

async function run({ rounds, isQuick }: BenchOptions): Promise<Table[]> {
  const sizes = isQuick ? QUICK_SIZES : SIZES;
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('a browser is needed: install Chromium or set CHROMIUM_PATH');
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const subjects = [await prepare(sizes[0]), await prepare(sizes[1])] as const;
  const times = new Map<string, [number[], number[]]>();
  const note = (name: string, subject: 0 | 1, ms: number) => {
    const both = times.get(name) ?? [[], []];
    both[subject].push(ms);
    times.set(name, both);
  };
  for (let round = 0; round <= rounds; round++) {
    // The first round warms up both and is not counted.
    if (round === 1) times.clear();
    for (const [i, subject] of subjects.entries()) await measure(subject, (name, ms) => note(name, i as 0 | 1, ms));
  }
  await browser.close();
  for (const { daemon } of subjects) await endBenchDaemon(daemon);
  return [describe(times, sizes)];
}

function describe(times: ReadonlyMap<string, [number[], number[]]>, [small, large]: readonly [number, number]): Table {
  const [few, many] = [small, large].map((size) => size.toLocaleString('en'));
  const rows = Array.from(times).flatMap(([name, [ofFew, ofMany]]) => [
    row(`${name}, ${many}`, 'ms', ofMany),
    row(`${name}, ratio to ${few}`, '×', divide(ofMany, ofFew)),
  ]);
  const pages = ['page 1', `page ${LAST_PAGE}`].map((name) => times.get(name)![1]) as [number[], number[]];
  rows.push(row(`page ${LAST_PAGE} / page 1, ${many}`, '×', divide(pages[1], pages[0])));
  return {
    title: 'Dashboard',
    rows,
    notes: [`Requests without a prefix go to the management API. The browser uses both daemons in turns.`],
  };
}

interface Subject {
  daemon: DaemonProcess;
  deliveries: number;
  webhook: string;
  /** Cursor of page 100. */
  lastCursor: string;
  /** The session of a signed-in owner. */
  storageState: Awaited<ReturnType<import('playwright-core').BrowserContext['storageState']>>;
}

async function prepare(deliveries: number): Promise<Subject> {
  const dataDir = createTempDir('bench');
  const first = await startBenchDaemon({ config, dataDir });
  const names = Array.from({ length: WEBHOOKS }, (_, i) => `hook-${i}`);
  const added = [];
  for (const name of names) added.push(await post(first, '/factories/bench/webhooks', { name }));
  const filter = { webhooks: names, payload: { level: ['error'] } };
  const triggers = [{ provider: 'webhook', event: 'received', filter }];
  await post(first, '/factories/bench/automations', { name: 'triage', triggers, prompt: 'Look into it.' });
  await endBenchDaemon(first);
  await fillDeliveryLog(dataDir, { deliveries, spanMs: SPAN_MS, nowMs: Date.now(), kind: 'mixed' });
  const daemon = await startBenchDaemon({ config, dataDir });
  const storageState = await signIn(daemon);
  const lastCursor = await walkTo(daemon, LAST_PAGE);
  return { daemon, deliveries, webhook: added[3].uid, lastCursor, storageState };
}

async function post(daemon: DaemonProcess, path: string, body: unknown) {
  const answer = await daemon.api(path, { method: 'POST', body });
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function signIn(daemon: DaemonProcess) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto((await daemon.api('/login-links', { method: 'POST' })).body.url);
  await page.getByRole('button', { name: 'Account' }).waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

async function walkTo(daemon: DaemonProcess, page: number): Promise<string> {
  let cursor = '';
  for (let i = 1; i < page; i++) cursor = (await ask(daemon, `deliveries?${cursor && `cursor=${cursor}`}`)).next_cursor;
  return cursor;
}

async function ask(daemon: DaemonProcess, path: string) {
  const { status, body } = await daemon.api(`/factories/bench/${path}`);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

type Note = (name: string, ms: number) => void;

async function measure(subject: Subject, noteTime: Note): Promise<void> {
  for (const [name, path] of listQuestions(subject)) {
    const begunMs = performance.now();
    await ask(subject.daemon, path);
    noteTime(name, elapsed(begunMs));
  }
  await measurePages(subject, noteTime);
}

/** Requests of the pages to the management API. */
function listQuestions({ deliveries, webhook, lastCursor }: Subject): [name: string, path: string][] {
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
  const hour = `from=${ago(4 * DAY_MS)}&to=${ago(4 * DAY_MS - 3_600_000)}`;
  const old = `delivery_id=event-${Math.floor(deliveries / 50) * 10 + 3}`;
  const log = 'deliveries?limit=50';
  return [
    ['page 1', log],
    [`page ${LAST_PAGE}`, `${log}&cursor=${lastCursor}`],
    ['label Accepted', `${log}&label=Accepted`],
    ['label Rejected (auth)', `${log}&label=Rejected%20%28auth%29`],
    ['label of no delivery', `${log}&label=Rejected%20%28too%20large%29`],
    ['delivery ID', `${log}&${old}`],
    ['delivery ID of none', `${log}&delivery_id=unheard-of`],
    ['last 24 hours', `${log}&from=${ago(DAY_MS)}`],
    ['an hour, 4 days ago', `${log}&${hour}`],
    ['webhook', `webhooks/${webhook}/${log}`],
    ['webhook, label, ID, hour', `webhooks/${webhook}/${log}&label=Accepted&${old}&${hour}`],
    ['counts of 24 hours', `activity?from=${ago(DAY_MS)}&to=${ago(0)}`],
    ['counts of 7 days', `activity?from=${ago(SPAN_MS)}&to=${ago(0)}`],
  ];
}

/** Duration for a user, from the click to the rows. The first load starts with an empty cache. */
async function measurePages({ daemon, deliveries, storageState }: Subject, noteTime: Note): Promise<void> {
  const context = await browser.newContext({ storageState });
  const page = await context.newPage();
  const time = async (name: string, act: () => Promise<unknown>) => {
    const begunMs = performance.now();
    await act();
    noteTime(`browser: ${name}`, elapsed(begunMs));
  };
  const home = `${daemon.adminUrl}/factories/bench`;
  // A query by role would take longer than the page itself.
  const newest = page.locator(`tbody a:text-is("event-${deliveries - 1}")`);
  noteTime('browser: first load, Overview', await loadFirst(page, home));
  await time('Deliveries', async () => {
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
    await newest.waitFor();
  });
  await time('page 2', async () => {
    await page.getByRole('button', { name: 'Older' }).click();
    await newest.waitFor({ state: 'detached' });
  });
  await time('search', async () => {
    const field = page.getByRole('textbox', { name: 'Delivery ID' });
    await field.fill('event-4203');
    await field.press('Enter');
    await page.getByRole('link', { name: 'event-4203', exact: true }).waitFor();
  });
  await context.close();

  const empty = await browser.newContext({ storageState });
  const direct = await empty.newPage();
  noteTime('browser: first load, Deliveries', await loadFirst(direct, `${home}/deliveries`));
  await empty.close();
}

/**
 * Milliseconds from the request for the page to its first row on the screen, measured in the page. Polling from outside
 * would cost a page that is being built a third of its time.
 */
async function loadFirst(page: Page, address: string): Promise<number> {
  await page.addInitScript(MARK_FIRST_ROW);
  await page.goto(address, { waitUntil: 'commit' });
  const mark = await page.waitForFunction(() => performance.getEntriesByName('first row')[0]?.startTime, null, {
    polling: 100,
  });
  return (await mark.jsonValue()) as number;
}

function elapsed(sinceMs: number): number {
  return performance.now() - sinceMs;
}
