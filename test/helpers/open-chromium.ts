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
  // Pages that follow one another in a profile share a renderer process and the scripts that it has compiled.
  '--process-per-site',
];

const executablePath = findChromium();
let opened: Promise<Browser> | null = null;

/** Whether browser tests can run here. Warns where not, because they are skipped then. */
export function canOpenChromium(): boolean {
  if (executablePath === null) {
    console.warn('SKIPPED: browser tests. No Chromium was found; install it, or set CHROMIUM_PATH to its path.');
  }
  return executablePath !== null;
}

/**
 * The Chromium of this process, launched for the first test file that asks for it, and ended with the process. Files that
 * run at the same time are in several processes and so have one each, because pages of one Chromium share its clipboard.
 */
export function openChromium(): Promise<Browser> {
  opened ??= chromium.launch({ executablePath: executablePath!, args: FLAGS });
  return opened;
}
