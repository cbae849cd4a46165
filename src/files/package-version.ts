import { readFileSync } from 'node:fs';
import { packageFile } from './package-files.ts';

/** The version in `package.json`. */
export function readPackageVersion(): string {
  return readPackage().version;
}

/**
 * Where the folder `docs/` stands on the web, ending in a slash: below the `homepage` of `package.json`, and while it has
 * none in the published package of this version, as a mirror of packages shows it.
 */
export function readDocumentsUrl(): string {
  const { name, version, homepage } = readPackage();
  if (homepage === undefined) return `https://unpkg.com/${name}@${version}/`;
  return `${homepage.replace(/(?:#.*)?\/*$/, '')}/blob/main/`;
}

function readPackage(): { name: string; version: string; homepage?: string } {
  return JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
}
