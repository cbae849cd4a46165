import { readFileSync } from 'node:fs';
import { packageFile } from './package-files.ts';

/** The version in `package.json`. */
export function readPackageVersion(): string {
  return readPackage().version;
}

/** The URL of the parent of `docs/` on the web, with a slash at its end: below the `homepage` of `package.json`. */
export function readDocumentsUrl(): string {
  return `${readPackage().homepage.replace(/(?:#.*)?\/*$/, '')}/blob/main/`;
}

function readPackage(): { version: string; homepage: string } {
  return JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
}
