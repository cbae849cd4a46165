import { readFileSync } from 'node:fs';
import { packageFile } from './package-files.ts';

/** The version in `package.json`. */
export function readPackageVersion(): string {
  return readPackage().version;
}

/**
 * The URL of the parent of `docs/` on the web, with a slash at its end: below the `homepage` of `package.json`. Without a
 * `homepage`, the published package of this version on a package mirror.
 */
export function readDocumentsUrl(): string {
  const { name, version, homepage } = readPackage();
  if (homepage === undefined) return `https://unpkg.com/${name}@${version}/`;
  return `${homepage.replace(/(?:#.*)?\/*$/, '')}/blob/main/`;
}

function readPackage(): { name: string; version: string; homepage?: string } {
  return JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
}
