// Configuration of VitePress for scripts/build-docs.mjs.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { renderFences, renderThemedImages } from '../markdown/fences.mjs';
import { STYLES_TO_CLASSES, THEME } from '../markdown/highlighting.mjs';
import { resolveLinks } from '../markdown/links.mjs';
import { renderHtmlAsText } from '../markdown/plain-html.mjs';
import { nameMarkdown } from '../markdown/plain-markdown.mjs';
import { BASE, OUT, REPOSITORY_URL, VERSION, VERSIONS_FILE } from '../settings.mjs';
import { listFolders, listPages, REWRITES, readSections, STAGE } from '../site-pages.mjs';

const sections = readSections();
/** Folders whose pages are listed on one page of the reference. */
const GENERATED = [{ folder: 'schemes', text: 'Signature schemes', link: '/reference/signature-schemes' }];

export default defineConfig({
  // One page after another, so that each build has the same search index, which every page names.
  buildConcurrency: 1,
  srcDir: STAGE,
  rewrites: REWRITES,
  base: BASE,
  outDir: OUT,
  cleanUrls: true,
  metaChunk: true,
  // Nothing is downloaded before somebody follows a link.
  router: { prefetchLinks: false },
  title: 'Dockbell',
  description: 'Documentation of Dockbell, a GitOps reconciler and a durable webhook ingress.',
  // The style element that would switch off transitions is not allowed by the content security policy.
  appearance: { disableTransition: false },
  head: [
    ['link', { rel: 'icon', href: `${BASE}bell.svg` }],
    ['script', { src: `${BASE}theme.js` }],
  ],
  // The same policy forbids inline scripts and style attributes. public/theme.js replaces the scripts.
  transformHtml: (html) =>
    html.replaceAll(/<script id="check-[^>]*>[\s\S]*?<\/script>/g, '').replaceAll(/ style="[^"]*"/g, ''),
  // Programs that read documentation find the Markdown of each page here.
  transformHead: ({ page }) => [
    [
      'link',
      { rel: 'alternate', type: 'text/markdown', href: BASE + nameMarkdown(page.replace(/(?:index)?\.md$/, '')) },
    ],
  ],
  markdown: {
    theme: THEME,
    codeTransformers: [STYLES_TO_CLASSES],
    languageAlias: { caddyfile: 'nginx', console: 'shellscript' },
    anchor: { slugify: slugifyAsGitHub },
    config: (md) => {
      resolveLinks(md, REPOSITORY_URL);
      renderHtmlAsText(md);
      renderFences(md);
      renderThemedImages(md);
    },
  },
  themeConfig: {
    version: VERSION,
    versionsFile: VERSIONS_FILE,
    logo: '/bell.svg',
    nav: sections.map(({ text, groups }) => ({ text, link: groups[0].items[0].link, activeMatch: matchLinks(groups) })),
    sidebar: listSidebars(),
    outline: [2, 3],
    search: { provider: 'local', options: { detailedView: false, disableQueryPersistence: true } },
  },
  vite: {
    logLevel: 'warn',
    publicDir: fileURLToPath(new URL('../public', import.meta.url)),
    // The policy does not allow data: URLs either.
    // One file after another, so that each build has the same names of variables and files.
    build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 4_000, rollupOptions: { maxParallelFileOps: 1 } },
  },
});

/** The anchors that GitHub gives to titles. */
function slugifyAsGitHub(title) {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** By the folder of a page: only its section, because each page contains its sidebar. */
function listSidebars() {
  const folders = sections.flatMap((section) =>
    section.groups.flatMap(({ items }) => items.map(({ link }) => [link.slice(0, link.lastIndexOf('/') + 1), section])),
  );
  const pages = folders
    .filter(([folder]) => folder !== '/')
    .map(([folder, section]) => [folder, [listSection(section)]]);
  const generated = GENERATED.flatMap(({ folder, text, link }) =>
    listFolders(folder).map((path) => [path, [{ text, link, items: listPages(path) }]]),
  );
  return Object.fromEntries([...pages, ...generated, ['/', sections.map(listSection)]]);
}

function listSection({ text, groups }) {
  return { text, collapsed: false, items: groups.flatMap(listItems) };
}

function listItems({ text, items }) {
  return text === null ? items : [{ text, items, collapsed: true }];
}

function matchLinks(groups) {
  const links = groups.flatMap(({ items }) => items.map(({ link }) => link));
  const below = GENERATED.filter(({ link }) => links.includes(link)).map(({ folder }) => `/${folder}/.*`);
  return `^(?:${[...links.map((link) => link.replaceAll('.', '\\.')), ...below].join('|')})$`;
}
