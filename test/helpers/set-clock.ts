import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempDir } from './temp-dir.ts';

const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';

/** Can the clock of a daemon be set on this machine? Prints a warning if not. */
export const maySetClock = existsSync(LIBRARY);
if (!maySetClock) console.warn(`NOT TESTED: the clock of a daemon cannot be set without libfaketime (${LIBRARY}).`);

/** A clock of daemons, in UTC, that continues from the time to which it was set last. */
export interface SettableClock {
  /** For the daemons that use it. */
  env: Record<string, string>;
  /** @param at without a time zone, for example `2026-03-02T09:50:00` */
  set(at: string): void;
}

export function createSettableClock(at: string): SettableClock {
  const file = join(createTempDir('clock'), 'clock');
  const set = (to: string) => {
    const seconds = Math.round((Date.parse(`${to}Z`) - Date.now()) / 1000);
    writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  };
  set(at);
  return {
    set,
    env: {
      TZ: 'UTC',
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  };
}
