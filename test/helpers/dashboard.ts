import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { findChromium } from './find-chromium.ts';
import type { TestDaemon } from './test-daemon.ts';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SCREENSHOTS = fileURLToPath(new URL('../screenshots/', import.meta.url));
const WIDE = { width: 1280, height: 800 };
/**
 * Room for a machine three times slower that runs other tests too. A test has three such waits, so that the one that
 * lasts too long says itself what it waits for.
 */
const WAIT_MS = 40_000;
const TEST_MS = 3 * WAIT_MS;
/** What a phone shows. */
export const NARROW = { width: 390, height: 844 };

/** A browser that is open for the tests of one `describeDashboard`. */
export interface DashboardBrowser {
  /** A page of a profile of its own: nothing is stored, nobody is signed in. */
  openPage(viewport?: typeof WIDE): Promise<Page>;
  /** As `openPage`, signed in as an owner by a one-time link, at `path`. */
  signIn(daemon: TestDaemon, path?: string, viewport?: typeof WIDE): Promise<Page>;
}

/**
 * Tests in a real browser; skipped as a whole where there is none. Each test fails when a page of it wrote an error to
 * the console, threw, broke the page's policy or opened a dialog of the browser that the test did not wait for. A test
 * that failed says what its pages showed.
 */
export function describeDashboard(title: string, tests: (browser: DashboardBrowser) => void): void {
  const executablePath = findChromium();
  describe.skipIf(executablePath === null)(title, { timeout: TEST_MS }, () => {
    let browser: Browser;
    const contexts: BrowserContext[] = [];
    const seen: Seen = { problems: [], console: [] };
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: executablePath!, args: FLAGS });
    });
    afterAll(() => browser?.close());
    afterEach(async ({ task }) => {
      const shown = task.result?.state === 'fail' ? await describePages(contexts, task.name) : null;
      await Promise.all(contexts.splice(0).map((context) => context.close()));
      const { problems, console } = { problems: seen.problems.splice(0), console: seen.console.splice(0) };
      if (shown !== null) throw new Error([...shown, 'Console:', ...console, 'Problems:', ...problems].join('\n  '));
      expect(problems, 'errors in the console, exceptions and breaches of the policy').toEqual([]);
    });
    const openPage = async (viewport = WIDE) => {
      const context = await browser.newContext({ viewport, colorScheme: 'light', reducedMotion: 'reduce' });
      contexts.push(context);
      context.setDefaultTimeout(WAIT_MS);
      await watch(context, seen);
      return context.newPage();
    };
    const signIn = async (daemon: TestDaemon, path = '/', viewport = WIDE) => {
      const page = await openPage(viewport);
      const { status, body } = await daemon.api('/login-links', { method: 'POST' });
      expect(status, JSON.stringify(body)).toBe(201);
      await page.goto(body.url);
      await page.getByRole('button', { name: 'Account' }).waitFor();
      if (path !== '/') await page.goto(daemon.adminUrl + path);
      return page;
    };
    tests({ openPage, signIn });
  });
}

/** Refusals of the API, and a daemon that a test has ended, are outcomes that pages show; what else fails to load is a problem. */
const EXPECTED =
  /^Failed to load resource: (?:the server responded with a status of 4\d\d .*\/api\/v1\/|net::ERR_CONNECTION_REFUSED)/;

/** What the pages of a test did beside what the test looks at. */
interface Seen {
  problems: string[];
  console: string[];
}

async function watch(context: BrowserContext, { problems, console }: Seen): Promise<void> {
  context.on('weberror', (thrown) => problems.push(`thrown: ${thrown.error().stack}`));
  context.on('console', (message) => {
    const text = `${message.text()} at ${message.location().url}`;
    console.push(`${message.type()}: ${text}`);
    if (message.type() === 'error' && !EXPECTED.test(text)) problems.push(`console: ${text}`);
  });
  context.on('requestfailed', (request) =>
    console.push(`no answer: ${request.url()}: ${request.failure()?.errorText}`),
  );
  await context.exposeFunction('reportBreach', (breach: string) => void problems.push(`policy: ${breach}`));
  await context.addInitScript(`
    addEventListener('securitypolicyviolation', (event) => {
      reportBreach(event.violatedDirective + ' ' + event.blockedURI + ' at ' + event.sourceFile + ':' + event.lineNumber);
    });
    for (const open of ['alert', 'confirm', 'prompt', 'print']) window[open] = () => reportBreach('a script opened ' + open);
  `);
}

const SHOWN_CHARACTERS = 2_000;

/** Address, screenshot and text of each page that is open. */
async function describePages(contexts: readonly BrowserContext[], test: string): Promise<string[]> {
  const lines = ['When the test failed, the browser showed:'];
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const [i, page] of contexts.flatMap((context) => context.pages()).entries()) {
    const path = `${SCREENSHOTS}failed-${test.replace(/\W+/g, '-').slice(0, 80)}-${i + 1}.png`;
    const isTaken = await page.screenshot({ path, timeout: WAIT_MS }).then(
      () => true,
      () => false,
    );
    const text = await page.evaluate('document.body.innerText').catch(String);
    lines.push(`${page.url()} ${isTaken ? path : '(no screenshot)'}`, String(text).slice(0, SHOWN_CHARACTERS));
  }
  return lines;
}

interface AxeViolation {
  id: string;
  impact: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** Fails where axe-core finds what keeps people from using the page. */
export async function checkAccessibility(page: Page): Promise<void> {
  // Evaluated by the debugger, which the page's policy does not bind.
  await page.evaluate(AXE);
  await expect.poll(() => listGraveFindings(page), { message: 'serious findings of axe-core' }).toEqual([]);
}

async function listGraveFindings(page: Page): Promise<string[]> {
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: AxeViolation[];
  };
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return grave.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
}

/** Fails where the page is wider than the window. */
export async function checkWidth(page: Page): Promise<void> {
  const listWider = () =>
    page.evaluate(`[...document.querySelectorAll('body *')]
      .filter((el) => document.documentElement.scrollWidth > innerWidth && el.getBoundingClientRect().right > innerWidth)
      .map((el) => el.tagName + ' ' + el.className).slice(0, 10)`);
  await expect.poll(listWider, { message: 'what is wider than the window' }).toEqual([]);
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
}

/** All of a page, from its top: what stays at the top of the window would lie over the middle of one that is scrolled. */
async function takePicture(page: Page, path: string): Promise<void> {
  const scrolled = await page.evaluate('scrollY');
  await page.evaluate('scrollTo({ top: 0, behavior: "instant" })');
  await page.screenshot({ path, fullPage: true });
  await page.evaluate(`scrollTo({ top: ${scrolled}, behavior: "instant" })`);
}

/** Writes the page in both themes to test/screenshots/, for a person to look at, and checks both for accessibility. */
export async function lookAt(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor();
    await checkAccessibility(page);
    await takePicture(page, `${SCREENSHOTS}${name}-${scheme}.png`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}
