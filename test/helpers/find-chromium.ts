import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where Chromium is installed: `CHROMIUM_PATH`, or else where Debian and others put it; `null` where it is not. */
export function findChromium(): string | null {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined) return named;
  return PLACES.find((path) => existsSync(path)) ?? null;
}

/** Run once before all tests: says loudly that the browser tests are skipped. */
export default function announceSkippedBrowserTests(): void {
  if (findChromium() !== null) return;
  console.warn(
    '\n!!! SKIPPED: all browser tests. No Chromium was found; install it, or name it in CHROMIUM_PATH. !!!\n',
  );
}
