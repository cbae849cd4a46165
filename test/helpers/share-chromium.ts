import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserServer } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { findChromium } from './find-chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the WebSocket endpoint of the Chromium that all test files share; `null` if none is installed. */
    chromiumUrl: string | null;
  }
}

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Pages that follow one another in a profile share a renderer process and the scripts that it has compiled.
  '--process-per-site',
];

/**
 * The global setup of browser tests: one Chromium for all test files, launched when the first of them asks for it, so
 * that runs without browser tests launch none. Prints a warning if Chromium is missing, because all browser tests are
 * skipped then.
 */
export default async function shareChromium(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = findChromium();
  if (executablePath === null) {
    console.warn(
      '\n!!! SKIPPED: all browser tests. No Chromium was found; install it, or set CHROMIUM_PATH to its path. !!!\n',
    );
    project.provide('chromiumUrl', null);
    return async () => {};
  }
  let launched: Promise<BrowserServer> | null = null;
  const server = createServer((_, response) => {
    launched ??= launchChromium(executablePath);
    launched.then(
      (browser) => response.end(browser.wsEndpoint()),
      (error) => response.writeHead(500).end(`Chromium did not start: ${error}`),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project.provide('chromiumUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return async () => {
    server.close();
    await (await launched?.catch(() => null))?.close();
  };
}

async function launchChromium(executablePath: string): Promise<BrowserServer> {
  const { chromium } = await import('playwright-core');
  return chromium.launchServer({ executablePath, args: FLAGS, host: '127.0.0.1' });
}
