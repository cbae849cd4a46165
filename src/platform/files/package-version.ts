import { readFileSync } from 'node:fs';
import { packageFile } from './package-files.ts';

/** The version in `package.json`. */
export function readPackageVersion(): string {
  return readPackage().version;
}

/** The URL of the published documentation of `main`, with a slash at its end: on GitHub Pages, for the `homepage` of `package.json`. */
export function readDocumentsUrl(): string {
  const { pathname } = new URL(readPackage().homepage);
  const [, owner, repository] = pathname.split('/');
  return `https://${owner}.github.io/${repository}/main/`;
}

function readPackage(): { version: string; homepage: string } {
  return JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
}
