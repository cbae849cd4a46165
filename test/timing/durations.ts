import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TABLE = fileURLToPath(new URL('durations.json', import.meta.url));

/** Files that take less are not in the table. */
const SHORT_SECONDS = 0.5;

/**
 * Seconds that each longer test file took when `npm run test:durations` ran last, by its path below the root: in `npm test` or in
 * `npm run test:full`, the longer time.
 */
export type Durations = Record<string, number>;

export function readDurations(): Durations {
  return existsSync(TABLE) ? JSON.parse(readFileSync(TABLE, 'utf8')) : {};
}

/** Writes the table with the slowest file first. */
export function writeDurations(durations: Durations): void {
  const long = Object.entries(durations).filter(([, seconds]) => seconds >= SHORT_SECONDS);
  const rows = long.sort(([, a], [, b]) => b - a);
  writeFileSync(TABLE, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);
}

/** The name of a test file in the table. */
export function nameFile(path: string): string {
  return relative(ROOT, path).replaceAll('\\', '/');
}
