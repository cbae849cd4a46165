import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { canOpenChromium, openChromium } from './open-chromium.ts';
import type { TestDaemon } from './test-daemon.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SCREENSHOTS = fileURLToPath(new URL('../screenshots/', import.meta.url));
const WIDE = { width: 1280, height: 800 };
/**
 * Long enough for a machine that is three times slower and runs other tests. A test has three such waits, so the wait
 * that times out reports itself.
 */
const WAIT_MS = 40_000;
const TEST_MS = 3 * WAIT_MS;
/** The viewport of a phone. */
export const NARROW = { width: 390, height: 844 };

/** Screenshots of every checked page, if requested. */
const TAKES_SCREENSHOTS = process.env.DOCKBELL_SCREENSHOTS === '1';

/** The browser of one `describeDashboard`. */
export interface DashboardBrowser {
  /** A page in a separate profile: nothing is stored, nobody is signed in. */
  openPage(viewport?: typeof WIDE): Promise<Page>;
  /**
   * A page in a separate profile, signed in as an owner with the token of a one-time link, at `path`. It may be the page
   * of an earlier test that is still signed in. The application then navigates to `path` as after a click on a link,
   * because loading the document takes ten times the processor time. Call `page.goto` to test loading an address.
   */
  signIn(daemon: TestDaemon, path?: string, viewport?: typeof WIDE): Promise<Page>;
}

/**
 * Tests in the Chromium of this process (`open-chromium.ts`), skipped if none is installed. A test fails if its page
 * writes an error to the console, throws, violates the content security policy, or opens a browser dialog that the test
 * does not expect. A failed test reports the text of its pages.
 */
export function describeDashboard(title: string, tests: (browser: DashboardBrowser) => void): void {
  describe.skipIf(!canOpenChromium())(title, { timeout: TEST_MS }, () => {
    let browser: Browser;
    const signedIn: Profile[] = [];
    const used: Profile[] = [];
    beforeAll(async () => {
      browser = await openChromium();
    });
    const emptyOrClose = async (profile: Profile) => {
      if (await emptyProfile(profile)) idle.push(profile);
      else await profile.context.close();
    };
    afterEach(async ({ task }) => {
      const isFailed = task.result?.state === 'fail';
      const shown = isFailed
        ? await describePages(
            used.flatMap(({ context }) => context.pages()),
            task.name,
          )
        : null;
      for (const profile of used.splice(0)) {
        if (isFailed) await profile.context.close();
        else if (await leavePage(profile)) signedIn.push(profile);
        else await emptyOrClose(profile);
      }
      const { problems, console } = { problems: seen.problems.splice(0), console: seen.console.splice(0) };
      if (shown !== null) throw new Error([...shown, 'Console:', ...console, 'Problems:', ...problems].join('\n  '));
      expect(problems, 'errors in the console, exceptions and breaches of the policy').toEqual([]);
    });
    const take = async (profile: Profile, viewport: typeof WIDE) => {
      used.push(profile);
      if (viewport !== WIDE) await profile.page.setViewportSize(viewport);
      return profile;
    };
    const takeEmpty = async (viewport: typeof WIDE) => take(idle.pop() ?? (await createProfile(browser)), viewport);
    const openPage = async (viewport = WIDE) => (await takeEmpty(viewport)).page;
    const signIn = async (daemon: TestDaemon, path = '/', viewport = WIDE) => {
      const index = signedIn.findIndex(({ signedInTo }) => signedInTo === daemon.adminUrl);
      if (index >= 0) {
        const { page } = await take(signedIn.splice(index, 1)[0]!, viewport);
        await moveTo(page, path);
        return page;
      }
      const profile = await takeEmpty(viewport);
      const { page } = profile;
      const { status, body } = await daemon.api('/login-links', { method: 'POST' });
      expect(status, JSON.stringify(body)).toBe(201);
      // As the page of the link does, without a page load. `dashboard.sign-in` opens links.
      const token = new URLSearchParams(new URL(body.url).hash.slice(1)).get('token');
      const answer = await page.request.post(`${daemon.adminUrl}/api/v1/session`, { data: { login_token: token } });
      expect(answer.status(), await answer.text()).toBe(200);
      profile.signedInTo = daemon.adminUrl;
      await page.goto(daemon.adminUrl + path);
      await accountMenu(page).waitFor();
      return page;
    };
    tests({ openPage, signIn });
    // Registered after the hooks of the file and so called before them, while its daemon still runs.
    afterAll(async () => {
      for (const profile of signedIn.splice(0)) await emptyOrClose(profile);
    });
  });
}

/**
 * A profile of the browser with one page, which tests use one after another. Its first load takes twice the processor time
 * of a later one, and each new page half as much as a load.
 */
interface Profile {
  context: BrowserContext;
  page: Page;
  /** The origins that its pages visited. */
  origins: Set<string>;
  /** URL of the dashboard at which `signIn` signed in; `null` if the profile is empty or a test signed in without it. */
  signedInTo: string | null;
}

/** Empty profiles, for this test file and the next ones of this process. */
const idle: Profile[] = [];

async function createProfile(browser: Browser): Promise<Profile> {
  const context = await browser.newContext({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
  context.setDefaultTimeout(WAIT_MS);
  const origins = new Set<string>();
  context.on('request', (request) => {
    if (request.isNavigationRequest() && request.url().startsWith('http')) origins.add(new URL(request.url()).origin);
  });
  await watch(context);
  return { context, origins, signedInTo: null, page: await context.newPage() };
}

const accountMenu = (page: Page) => page.getByRole('button', { name: 'Account' });

/** Navigates inside the application, without a load. Unsaved text of the current page is lost. */
export async function moveTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
  await accountMenu(page).waitFor();
}

/**
 * Leaves the page of a test, so that the next test can use the same document. Returns `false` if the session has ended, the
 * test left the dashboard, or the dashboard still asks for a confirmation.
 */
async function leavePage({ context, page, signedInTo }: Profile): Promise<boolean> {
  if (signedInTo === null || page.isClosed() || !page.url().startsWith(`${signedInTo}/`)) return false;
  if (!(await accountMenu(page).isVisible())) return false;
  await closeOthers(context, page);
  await page.setViewportSize(WIDE);
  await page.mouse.move(0, 0);
  await context.clearPermissions();
  // A page without data, so that every page starts from its initial state.
  await moveTo(page, '/nowhere');
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  return (await page.getByRole('dialog').count()) === 0;
}

async function closeOthers(context: BrowserContext, page: Page): Promise<void> {
  await Promise.all(context.pages().map((other) => other !== page && other.close()));
  await page.unrouteAll();
}

/**
 * Resets the profile: one empty page, without cookies, permissions and stored data. Returns `false` if the test closed the
 * page or ended its daemon.
 */
async function emptyProfile(profile: Profile): Promise<boolean> {
  const { context, page, origins } = profile;
  const [origin] = origins;
  if (origin === undefined || page.isClosed()) return false;
  profile.signedInTo = null;
  await closeOthers(context, page);
  await page.evaluate('sessionStorage.clear()');
  // A page of the same origin keeps the renderer process, with the scripts that it has compiled.
  const isLeft = await page.goto(`${origin}/healthz`).then(
    () => true,
    () => false,
  );
  if (!isLeft) return false;
  await page.setViewportSize(WIDE);
  await context.clearCookies();
  await context.clearPermissions();
  const debug = await context.newCDPSession(page);
  for (const visited of origins)
    await debug.send('Storage.clearDataForOrigin', { origin: visited, storageTypes: 'all' });
  await debug.detach();
  origins.clear();
  return true;
}

/** Error responses of the API and an ended daemon are expected, because pages show them. Other failed loads are problems. */
const EXPECTED =
  /^Failed to load resource: (?:the server responded with a status of 4\d\d .*\/api\/v1\/|net::ERR_CONNECTION_REFUSED)/;

/** Events in the pages of a test that the test does not check itself. Files and tests of a process run one after another. */
const seen: { problems: string[]; console: string[] } = { problems: [], console: [] };

async function watch(context: BrowserContext): Promise<void> {
  const { problems, console } = seen;
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
    const { clipboard } = navigator;
    const writeText = clipboard?.writeText.bind(clipboard);
    if (clipboard) clipboard.writeText = (text) => writeText((window.lastCopied = text));
    for (const open of ['alert', 'confirm', 'prompt', 'print']) window[open] = () => reportBreach('a script opened ' + open);
  `);
}

/** The text that the page copied last. The clipboard contains it a moment later. */
export async function readCopied(page: Page): Promise<string> {
  return String(await page.evaluate('lastCopied'));
}

const SHOWN_CHARACTERS = 2_000;

/** Address, screenshot and text of each open page. */
async function describePages(pages: readonly Page[], test: string): Promise<string[]> {
  const lines = ['When the test failed, the browser showed:'];
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const [i, page] of pages.entries()) {
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
  nodes: { target: string[]; failureSummary: string }[];
}

/** Rules of axe-core that depend on the theme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Fails if axe-core finds accessibility problems in the current page, with the given rules or, if omitted, with all. */
async function checkAccessibility(page: Page, rules?: readonly string[]): Promise<void> {
  // Evaluated by the debugger, which the page's policy does not restrict.
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(AXE);
  await expect.poll(() => listFindings(page, rules), { message: 'findings of axe-core' }).toEqual([]);
}

async function listFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) };
  const { violations } = (await page.evaluate(buildAxeRun(options))) as { violations: AxeViolation[] };
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
}

/** Tooltips are excluded: they are at the end of the document, outside every landmark. */
const buildAxeRun = (options: object) => `(async () => {
  const tooltips = [...document.querySelectorAll('[role=tooltip]')];
  for (const tooltip of tooltips) tooltip.style.visibility = 'hidden';
  const result = await axe.run(document, ${JSON.stringify(options)});
  for (const tooltip of tooltips) tooltip.style.visibility = '';
  return result;
})()`;

/** Fails if the page is wider than the window. */
export async function checkWidth(page: Page): Promise<void> {
  const listWider = () =>
    page.evaluate(`[...document.querySelectorAll('body *')]
      .filter((el) => document.documentElement.scrollWidth > innerWidth && el.getBoundingClientRect().right > innerWidth)
      .map((el) => el.tagName + ' ' + el.className).slice(0, 10)`);
  await expect.poll(listWider, { message: 'what is wider than the window' }).toEqual([]);
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
}

/** Screenshot of the whole page from its top. In a scrolled page, fixed elements would cover the middle. */
async function takeScreenshot(page: Page, path: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const scrolled = await page.evaluate('scrollY');
  await page.evaluate('scrollTo({ top: 0, behavior: "instant" })');
  await page.screenshot({ path, fullPage: true });
  await page.evaluate(`scrollTo({ top: ${scrolled}, behavior: "instant" })`);
}

const SCHEMES = ['light', 'dark'] as const;

/**
 * Checks the current page for accessibility, in the light theme. With `DOCKBELL_SCREENSHOTS=1`, checks both themes and
 * writes a screenshot of each to test/screenshots/.
 */
export async function lookAt(page: Page, name: string): Promise<void> {
  if (TAKES_SCREENSHOTS) await lookAtBothThemes(page, name);
  else await checkAccessibility(page);
}

/** Like `lookAt`, always in both themes. The dark theme is checked with the rules about colors, because nothing else differs. */
export async function lookAtBothThemes(page: Page, name: string): Promise<void> {
  for (const scheme of SCHEMES) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor();
    await checkAccessibility(page, scheme === 'light' ? undefined : COLOR_RULES);
    if (TAKES_SCREENSHOTS) await takeScreenshot(page, `${SCREENSHOTS}${name}-${scheme}.png`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}
