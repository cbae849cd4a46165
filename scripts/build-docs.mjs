// Builds docs/ to a static site in .cache/docs/, unless its sources have not changed, and copies it to dist/docs/. The daemon
// serves it under /docs. It is outside of dist/ because `npm pack` deletes that folder, and a build takes ten seconds.
// For a web host, scripts/build-public-docs.mjs sets the variables of site/settings.mjs.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { nameMarkdown, nameMarkdownOf, renderPlainMarkdown } from '../site/markdown/plain-markdown.mjs';
import { BASE, IS_PUBLIC, OUT, REPOSITORY_URL, VERSION } from '../site/settings.mjs';
import { listStagedSources, MADE, readMovedPages, readSections, SOURCES, stagePages } from '../site/site-pages.mjs';
import { buildOnce } from './build-once.mjs';
import { renderForwardPage } from './forward-page.mjs';
import { writeFiles } from './generators.ts';
import './build-api.mjs';

// The documents that are made from the code. They take a second, and the site is only built if one of them has changed.
await buildOnce({
  sources: ['src', ...SOURCES.filter((path) => path !== MADE), 'scripts'],
  stamp: `${MADE}.built-from`,
  made: [MADE],
  build: async () => {
    // Imported here, because it loads all commands.
    const { makeSiteDocuments } = await import('./site-documents.ts');
    writeFiles(await makeSiteDocuments());
  },
});
await buildOnce({
  sources: [
    ...SOURCES,
    'package.json',
    'scripts/build-docs.mjs',
    ...['.vitepress/config.mjs', '.vitepress/theme', 'api-reference', 'markdown', 'public'].map(
      (path) => `site/${path}`,
    ),
    ...['package-lock.json', 'settings.mjs', 'site-pages.mjs'].map((path) => `site/${path}`),
  ],
  stamp: join(OUT, '.built-from'),
  made: [OUT],
  build: buildSite,
});
if (!IS_PUBLIC) copyTo('dist/docs');

function copyTo(folder) {
  const stamp = join(folder, '.built-from');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(join(OUT, '.built-from'), 'utf8')) return;
  rmSync(folder, { recursive: true, force: true });
  cpSync(realpathSync(OUT), folder, { recursive: true });
}

async function buildSite() {
  stagePages();
  await generate();
  storeIcons();
  for (const source of listStagedSources()) storeMarkdown(source);
  for (const [page, target] of Object.entries(readMovedPages())) storeMovedPage(page, target);
  writeFileSync(join(OUT, 'llms.txt'), renderOverview());
  if (IS_PUBLIC) return;
  writeFileSync(join(OUT, 'versions.json'), JSON.stringify([{ version: VERSION, path: BASE }]));
  compressFiles();
}

/** Runs VitePress. It puts files next to the package in the current folder, and prints its progress only if it fails. */
async function generate() {
  const root = process.cwd();
  const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }));
  const printed = [];
  for (const { stream } of streams) stream.write = (text) => printed.push(text) > 0;
  process.env.NODE_ENV = 'production';
  process.chdir('site');
  try {
    const { build } = await import('../site/node_modules/vitepress/dist/node/index.js');
    await build('.');
  } catch (error) {
    for (const { stream, write } of streams) stream.write = write;
    console.error(printed.join(''));
    throw error;
  } finally {
    for (const { stream, write } of streams) stream.write = write;
    process.chdir(root);
  }
}

/** The content security policy does not allow data: URLs, so the icons in style sheets become files. */
function storeIcons() {
  const sheets = readdirSync(OUT, { recursive: true }).filter((name) => name.endsWith('.css'));
  for (const sheet of sheets) {
    const text = readFileSync(join(OUT, sheet), 'utf8');
    writeFileSync(join(OUT, sheet), text.replaceAll(/url\((["'])data:image\/svg\+xml,([\s\S]*?)\1\)/g, storeIcon));
  }
}

function storeIcon(_url, _quote, data) {
  const svg = decodeURIComponent(data.replaceAll(/\\(["'])/g, '$1'));
  const name = `assets/icon.${createHash('sha256').update(svg).digest('hex').slice(0, 8)}.svg`;
  writeFileSync(join(OUT, name), svg);
  return `url(${BASE}${name})`;
}

function storeMarkdown(source) {
  const file = join(OUT, nameMarkdownOf(source));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, renderPlainMarkdown(source, { base: BASE, repository: REPOSITORY_URL }));
}

/** Both forms of a page that moved lead to its new place. */
function storeMovedPage(page, target) {
  const title = `${page} has moved`;
  mkdirSync(dirname(join(OUT, page)), { recursive: true });
  writeFileSync(
    join(OUT, `${page}.html`),
    renderForwardPage({ title, url: BASE + target, label: target, isImmediate: true }),
  );
  writeFileSync(join(OUT, `${page}.md`), `# ${title}\n\nRead [${target}](${BASE}${nameMarkdown(target)}).\n`);
}

/** https://llmstxt.org: the Markdown of all pages, with their descriptions, for programs that read the documentation. */
function renderOverview() {
  const sections = readSections().map(({ text, groups }) => {
    const items = groups.flatMap((group) => group.items);
    const lines = items.map((item) => `- [${item.text}](${BASE}${nameMarkdown(item.link.slice(1))}): ${item.about}`);
    return `## ${text}\n\n${lines.join('\n')}\n`;
  });
  return `# Dockbell ${VERSION}\n\n> A GitOps reconciler and a durable webhook ingress.\n\n${sections.join('\n')}`;
}

/** Text is stored compressed only. The daemon decompresses it for the rare clients that do not accept gzip. */
function compressFiles() {
  const names = readdirSync(OUT, { recursive: true });
  for (const name of names.filter((each) => /\.(?:html|js|css|svg|txt|json|md)$/.test(each))) {
    const file = join(OUT, name);
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
    rmSync(file);
  }
}
