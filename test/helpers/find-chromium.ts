import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of Chromium: `CHROMIUM_PATH`, else the usual places; `null` if none exists. */
export function findChromium(): string | null {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined) return named;
  return PLACES.find((path) => existsSync(path)) ?? null;
}
