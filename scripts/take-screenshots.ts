// Writes docs/images/: pictures of the dashboard of the demo, in the light and the dark theme. Needs Chromium and a build.
// Run it after a visible change of the dashboard: npm run docs:screenshots
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { openChromium } from '../test/helpers/open-chromium.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const IMAGES = join(ROOT, 'docs/images');
const MAIN = join(ROOT, 'dist/main.js');
const SIZE = { width: 1200, height: 720 };
const QUALITY = 82;

/** Deliveries that the pictures show: two start runs, one starts nothing, one is a duplicate, one has no valid credential. */
const DELIVERIES = [
  ['internal-ci', 'build-4711', '{"status":"failed","branch":"main","build":4711,"step":"unit tests"}'],
  ['github', 'f3a1', '{"action":"opened","pull_request":{"number":42,"title":"Retry uploads","draft":false}}'],
  ['internal-ci', 'build-4712', '{"status":"passed","branch":"main","build":4712}'],
  ['internal-ci', 'build-4711', '{"status":"failed","branch":"main","build":4711,"step":"unit tests"}'],
  ['uptime', 'alarm-7', '{"service":"checkout","state":"down","since":"2026-11-21T06:00:00Z"}'],
] as const;

/** A script for the page: the temporary folder of the demo would be a distraction. */
const SHORTEN_PATHS = `
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.nodeValue = texts.currentNode.nodeValue.replace(FOLDER, '/srv/dockbell');
`;

const folder = mkdtempSync(join(tmpdir(), 'dockbell-screenshots-'));
const environment = { ...process.env, DOCKBELL_INGRESS_PORT: '0', DOCKBELL_ADMIN_PORT: '0' };
const daemon = spawn(process.execPath, [MAIN, 'demo', '--dir', folder], { env: environment, stdio: 'ignore' });
try {
  const { admin_url: adminUrl } = await readWhenServing();
  await sendDeliveries(adminUrl);
  const browser = await openChromium();
  mkdirSync(IMAGES, { recursive: true });
  for (const theme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: SIZE, colorScheme: theme, reducedMotion: 'reduce' });
    await takeAll(context, adminUrl, theme);
    await context.close();
  }
  await browser.close();
} finally {
  const ended = new Promise((resolve) => daemon.once('close', resolve));
  daemon.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

async function readWhenServing(): Promise<{ admin_url: string }> {
  const file = join(folder, 'daemon.json');
  while (!existsSync(file)) {
    if (daemon.exitCode !== null) throw new Error(`dockbell demo ended with ${daemon.exitCode}.`);
    await setTimeout(100);
  }
  return JSON.parse(readFileSync(file, 'utf8'));
}

async function sendDeliveries(adminUrl: string): Promise<void> {
  while (!(await readList(adminUrl, '/factories/example/webhooks')).length) await setTimeout(100);
  for (const [webhook, id, data] of DELIVERIES) {
    spawnSync(process.execPath, [MAIN, 'send', webhook, '--delivery-id', id, '--data', data, '--data-dir', folder]);
  }
  while ((await readList(adminUrl, '/factories/example/runs?state=succeeded')).length < 3) await setTimeout(200);
}

async function readList(adminUrl: string, path: string): Promise<{ id: string; uid: string; name: string }[]> {
  return (await callApi(adminUrl, path)).data ?? [];
}

// biome-ignore lint/suspicious/noExplicitAny: answers of many routes
async function callApi(adminUrl: string, path: string, method = 'GET'): Promise<any> {
  const authorization = `Bearer ${readFileSync(join(folder, 'admin-token'), 'utf8').trim()}`;
  return (await fetch(`${adminUrl}/api/v1${path}`, { method, headers: { authorization } })).json();
}

async function takeAll(context: BrowserContext, adminUrl: string, theme: string): Promise<void> {
  const page = await context.newPage();
  const { url } = await callApi(adminUrl, '/login-links', 'POST');
  await page.goto(url);
  await page.getByRole('button', { name: 'Account' }).waitFor();
  const webhook = (await readList(adminUrl, '/factories/example/webhooks')).find(({ name }) => name === 'internal-ci')!;
  const deliveries = await readList(adminUrl, `/factories/example/webhooks/${webhook.uid}/deliveries`);
  const [run] = await readList(adminUrl, '/factories/example/runs?automation=triage-build-failure');
  const pages = {
    overview: '/factories/example',
    deliveries: '/factories/example/deliveries',
    delivery: `/factories/example/deliveries/${deliveries[1]!.id}`,
    run: `/factories/example/runs/${run!.id}`,
    webhook: `/factories/example/webhooks/${webhook.uid}`,
  };
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(adminUrl + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle').catch(() => {});
    await setTimeout(500);
    await page.evaluate(SHORTEN_PATHS.replace('FOLDER', JSON.stringify(folder)));
    await take(page, join(IMAGES, `${name}-${theme}.webp`));
  }
}

/** WebP is a third of the size of PNG. Playwright itself cannot write it. */
async function take(page: Page, file: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  writeFileSync(file, Buffer.from(data, 'base64'));
  await session.detach();
}
