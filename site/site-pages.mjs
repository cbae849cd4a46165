// Which files of the repository are pages of the site, and under which path. docs/README.md is both the index on GitHub and
// the source of the navigation: its second-level titles are the sections, and their lists are the entries.
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

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

/** Maps paths of sources to paths of pages, in the form that VitePress calls rewrites. */
export const REWRITES = {
  [INDEX]: 'index.md',
  'docs/:rest*': ':rest*',
  ...Object.fromEntries(ROOT_PAGES),
};

/** What `stagePages` copies: a page outside of this folder would not find the packages of the generator. */
export const SOURCES = ['docs', ...ROOT_PAGES.keys()];

/** Copies the sources of all pages to STAGE, in the layout of the repository. */
export function stagePages() {
  rmSync(STAGE, { recursive: true, force: true });
  for (const source of SOURCES) cpSync(posix.join(ROOT, source), posix.join(STAGE, source), { recursive: true });
}

/** The path of the page of a source without its extension, such as `guides/plan`; `null` if it is not a page. */
export function pageOf(source) {
  if (source === INDEX) return '';
  const page = ROOT_PAGES.get(source) ?? (source.startsWith('docs/') ? source.slice('docs/'.length) : null);
  return page?.endsWith('.md') && existsSync(posix.join(ROOT, source)) ? page.slice(0, -3) : null;
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
  return page === null ? [] : [{ text: text.replaceAll('`', ''), link: `/${page}`, about: about ?? '' }];
}
