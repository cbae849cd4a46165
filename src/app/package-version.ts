import { readFileSync } from 'node:fs';

/** The version in `package.json`, which lies beside `dist/` and `src/`. */
export function readPackageVersion(): string {
  return readPackage().version;
}

/** Where the documents stand on the web: below the `homepage` of `package.json`; `null` while it has none. */
export function readDocumentsUrl(): string | null {
  const { homepage } = readPackage();
  return homepage === undefined ? null : `${homepage.replace(/(?:#.*)?\/*$/, '')}/blob/main/`;
}

function readPackage(): { version: string; homepage?: string } {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
}
