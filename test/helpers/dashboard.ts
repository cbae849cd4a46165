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
/** Room for a machine that runs other tests too; under the time of a test, so that a wait says what it waits for. */
const WAIT_MS = 15_000;
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
 * the console, threw, or broke the page's policy.
 */
export function describeDashboard(title: string, tests: (browser: DashboardBrowser) => void): void {
  const executablePath = findChromium();
  describe.skipIf(executablePath === null)(title, () => {
    let browser: Browser;
    const contexts: BrowserContext[] = [];
    const problems: string[] = [];
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: executablePath!, args: FLAGS });
    });
    afterAll(() => browser?.close());
    afterEach(async () => {
      await Promise.all(contexts.splice(0).map((context) => context.close()));
      expect(problems.splice(0), 'errors in the console, exceptions and breaches of the policy').toEqual([]);
    });
    const openPage = async (viewport = WIDE) => {
      const context = await browser.newContext({ viewport, colorScheme: 'light', reducedMotion: 'reduce' });
      contexts.push(context);
      context.setDefaultTimeout(WAIT_MS);
      await watch(context, problems);
      return context.newPage();
    };
    const signIn = async (daemon: TestDaemon, path = '/', viewport = WIDE) => {
      const page = await openPage(viewport);
      const { body } = await daemon.api('/login-links', { method: 'POST' });
      await page.goto(body.url);
      await page.getByRole('button', { name: 'Account' }).waitFor();
      if (path !== '/') await page.goto(daemon.adminUrl + path);
      return page;
    };
    tests({ openPage, signIn });
  });
}

/** Refusals of the API are outcomes that pages show; what else fails to load is a problem. */
const EXPECTED = /^Failed to load resource: the server responded with a status of 4\d\d .*\/api\/v1\//;

async function watch(context: BrowserContext, problems: string[]): Promise<void> {
  context.on('weberror', (thrown) => problems.push(`thrown: ${thrown.error().stack}`));
  context.on('console', (message) => {
    const text = `${message.text()} at ${message.location().url}`;
    if (message.type() === 'error' && !EXPECTED.test(text)) problems.push(`console: ${text}`);
  });
  await context.exposeFunction('reportBreach', (breach: string) => void problems.push(`policy: ${breach}`));
  await context.addInitScript(`
    addEventListener('securitypolicyviolation', (event) => {
      reportBreach(event.violatedDirective + ' ' + event.blockedURI + ' at ' + event.sourceFile + ':' + event.lineNumber);
    });
  `);
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
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: AxeViolation[];
  };
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  const described = grave.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
  expect(described, 'serious findings of axe-core').toEqual([]);
}

/** Writes the page in both themes to test/screenshots/, for a person to look at, and checks both for accessibility. */
export async function lookAt(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor();
    await checkAccessibility(page);
    await page.screenshot({ path: `${SCREENSHOTS}${name}-${scheme}.png`, fullPage: true });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}
