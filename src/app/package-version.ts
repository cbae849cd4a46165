import { readFileSync } from 'node:fs';

/** The version in `package.json`, which lies beside `dist/` and `src/`. */
export function readPackageVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}
