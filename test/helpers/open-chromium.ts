import { type Browser, chromium } from 'playwright-core';
import { findChromium } from './find-chromium.ts';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Consecutive pages of a profile share a renderer process and its compiled scripts.
  '--process-per-site',
  // Pages live for a few seconds, so only the fast compiler of V8 saves more processor time than it costs.
  '--js-flags=--no-opt',
];

const executablePath = findChromium();
let opened: Promise<Browser> | null = null;

/** Whether browser tests can run on this machine. Prints a warning if not, because they are then skipped. */
export function canOpenChromium(): boolean {
  if (executablePath === null) {
    console.warn('SKIPPED: browser tests. No Chromium was found; install it, or set CHROMIUM_PATH to its path.');
  }
  return executablePath !== null;
}

/**
 * The Chromium of this process, launched for the first test file that needs it, and ended with the process. Test files that
 * run in parallel are in different processes, because pages of one Chromium share its clipboard.
 */
export function openChromium(): Promise<Browser> {
  opened ??= chromium.launch({ executablePath: executablePath!, args: FLAGS });
  return opened;
}
