// Where the site is published. Without variables, it is the documentation that the daemon serves below /docs/.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ROOT } from './site-pages.mjs';

const { name, version, homepage } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8'));

/** Path of the site on its host, with a slash at both ends. */
export const BASE = process.env.DOCS_BASE ?? '/docs/';
/** Whether a web host serves the site, and not the daemon. */
export const IS_PUBLIC = process.env.DOCS_OUT !== undefined;
/** Folder of the built site. */
export const OUT = resolve(ROOT, process.env.DOCS_OUT ?? '.cache/docs');
/** Name of this version in the menu of versions. */
export const VERSION = process.env.DOCS_VERSION ?? version;
/** Path of the list of versions on the host. */
export const VERSIONS_FILE = process.env.DOCS_VERSIONS ?? `${BASE}versions.json`;
/** Files that are not pages are shown by this host. */
export const REPOSITORY_URL =
  homepage === undefined
    ? `https://unpkg.com/${name}@${version}/`
    : `${homepage.replace(/(?:#.*)?\/*$/, '')}/blob/main/`;
