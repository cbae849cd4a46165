// Which files of the repository are pages of the site, and under which path. docs/README.md is both the index on GitHub and
// the source of the navigation: its second-level titles are the sections, and their lists are the entries.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderApiPages } from './api-reference/render-api-pages.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const STAGE = fileURLToPath(new URL('.pages', import.meta.url));
const INDEX = 'docs/README.md';

/** Pages outside of docs/. */
const ROOT_PAGES = new Map([
  ['README.md', 'tutorials/five-minutes.md'],
  ['CONTRIBUTING.md', 'contributing.md'],
  ['SECURITY.md', 'security-policy.md'],
  ['CHANGELOG.md', 'changelog.md'],
]);

/** The pages of the API reference are made from it. */
const API_DOCUMENT = 'schemas/openapi.json';
const API_FOLDER = 'reference/api';
/** On GitHub, a link to one of these files shows the file. On the site, it leads to the pages about the same. */
const API_SUMMARY = 'schemas/operations.txt';
const SCHEME_GUIDES = 'docs/schemes/guides.yaml';

/** Maps paths of sources to paths of pages, in the form that VitePress calls rewrites. */
export const REWRITES = {
  [INDEX]: 'index.md',
  'docs/:rest*': ':rest*',
  ...Object.fromEntries(ROOT_PAGES),
};

/** The folder with the documents that scripts/site-documents.ts makes from the code, in the layout of the repository. */
export const MADE = '.cache/site-documents';

/** What `stagePages` copies: a page outside of this folder would not find the packages of the generator. */
const COPIED = ['docs', ...ROOT_PAGES.keys()];

export const SOURCES = [...COPIED, MADE, API_DOCUMENT];

/** Copies the sources of all pages to STAGE, in the layout of the repository, and writes the pages of the API reference. */
export function stagePages() {
  rmSync(STAGE, { recursive: true, force: true });
  for (const source of COPIED) cpSync(posix.join(ROOT, source), posix.join(STAGE, source), { recursive: true });
  cpSync(posix.join(ROOT, MADE, 'docs'), posix.join(STAGE, 'docs'), { recursive: true });
  mkdirSync(posix.join(STAGE, 'docs', API_FOLDER));
  for (const { name, text } of listApiPages())
    writeFileSync(posix.join(STAGE, 'docs', API_FOLDER, `${name}.md`), `${text}\n`);
}

/** Old paths of pages → their new paths, with anchors. */
export function readMovedPages() {
  return JSON.parse(readFileSync(posix.join(ROOT, MADE, 'moved-pages.json'), 'utf8'));
}

function listApiPages() {
  return renderApiPages(JSON.parse(readFileSync(posix.join(ROOT, API_DOCUMENT), 'utf8')));
}

/** The sources of all staged pages, as paths in the repository. */
export function listStagedSources() {
  const names = readdirSync(STAGE, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.md')).sort();
}

/** The address of a link to a file: `/guides/plan#steps` for a page of the site; `null` if the file is not a page. */
export function pathOf(source, anchor) {
  if (source === SCHEME_GUIDES && anchor !== undefined) return `/schemes/${anchor}`;
  const page = pageOf(source);
  return page === null ? null : `/${page}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** The path of the page of a staged source without its extension, such as `guides/plan`; `null` if it is not a page. */
export function pageOf(source) {
  if (source === INDEX) return '';
  if (source === API_SUMMARY) return `${API_FOLDER}/overview`;
  const page = ROOT_PAGES.get(source) ?? (source.startsWith('docs/') ? source.slice('docs/'.length) : null);
  return page?.endsWith('.md') && existsSync(posix.join(STAGE, source)) ? page.slice(0, -3) : null;
}

/** The sections of docs/README.md: `[{ text, groups: [{ text, items: [{ text, link, about }] }] }]`. */
export function readSections() {
  const sections = [];
  for (const line of readFileSync(posix.join(ROOT, INDEX), 'utf8').split('\n')) {
    const title = /^(##|###) (.+)$/.exec(line);
    if (title?.[1] === '##') sections.push({ text: title[2], groups: [{ text: null, items: [] }] });
    else if (title) sections.at(-1).groups.push({ text: title[2], items: [] });
    else if (line.startsWith('- '))
      sections
        .at(-1)
        ?.groups.at(-1)
        .items.push(...listEntries(line));
  }
  return sections.map(({ text, groups }) => ({ text, groups: groups.filter(({ items }) => items.length > 0) }));
}

function listEntries(line) {
  const [, text, href, about] = /^- \[([^\]]+)\]\(([^)\s]+)\)(?:: (.*))?$/.exec(line) ?? [];
  const page = href === undefined ? null : pageOf(posix.join(posix.dirname(INDEX), href));
  if (page === null) return [];
  const entry = { text: text.replaceAll('`', ''), link: `/${page}`, about: about ?? '' };
  return href.endsWith(API_SUMMARY) ? [entry, ...listApiEntries()] : [entry];
}

function listApiEntries() {
  const [, ...pages] = listApiPages();
  return pages.map(({ name, title, about }) => ({ text: title, link: `/${API_FOLDER}/${name}`, about }));
}

/** The folder of docs/ and the folders in it that contain pages, as paths of the site with a slash at both ends. */
export function listFolders(folder) {
  const sources = listStagedSources().filter((source) => source.startsWith(`docs/${folder}/`));
  return [...new Set(sources.map((source) => `${posix.dirname(source).slice('docs'.length)}/`))];
}

/** The pages of a folder with their titles: `[{ text, link }]`. */
export function listPages(folder) {
  return listStagedSources()
    .filter((source) => posix.dirname(source) === posix.join('docs', folder.slice(0, -1)))
    .map((source) => ({ text: readTitle(source), link: `/${pageOf(source)}` }));
}

function readTitle(source) {
  return /^# (.+)$/m.exec(readFileSync(posix.join(STAGE, source), 'utf8'))[1].replaceAll('`', '');
}
