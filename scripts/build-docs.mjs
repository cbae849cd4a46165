// Builds docs/ to a static site in .cache/docs/, unless its sources have not changed, and copies it to dist/docs/. The daemon
// serves it under /docs. It is outside of dist/ because `npm pack` deletes that folder, and a build takes ten seconds.
// For a web host, DOCS_BASE, DOCS_OUT and DOCS_VERSIONS set the path, the folder and the list of versions.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readSections, SOURCES, stagePages } from '../site/site-pages.mjs';
import { buildOnce } from './build-once.mjs';

const base = process.env.DOCS_BASE ?? '/docs/';
const out = resolve(process.env.DOCS_OUT ?? '.cache/docs');
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

await buildOnce({
  sources: [
    ...SOURCES,
    'package.json',
    'scripts/build-docs.mjs',
    ...['.vitepress/config.mjs', '.vitepress/theme', 'markdown', 'public'].map((path) => `site/${path}`),
    ...['package-lock.json', 'site-pages.mjs'].map((path) => `site/${path}`),
  ],
  stamp: join(out, '.built-from'),
  made: [out],
  build: buildSite,
});
if (process.env.DOCS_OUT === undefined) copyTo('dist/docs');

function copyTo(folder) {
  const stamp = join(folder, '.built-from');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(join(out, '.built-from'), 'utf8')) return;
  rmSync(folder, { recursive: true, force: true });
  cpSync(out, folder, { recursive: true });
}

async function buildSite() {
  stagePages();
  await generate();
  storeIcons();
  writeFileSync(join(out, 'versions.json'), JSON.stringify([{ version, path: base }]));
  writeFileSync(join(out, 'llms.txt'), renderOverview());
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
  const sheets = readdirSync(out, { recursive: true }).filter((name) => name.endsWith('.css'));
  for (const sheet of sheets) {
    const text = readFileSync(join(out, sheet), 'utf8');
    writeFileSync(join(out, sheet), text.replaceAll(/url\((["'])data:image\/svg\+xml,([\s\S]*?)\1\)/g, storeIcon));
  }
}

function storeIcon(_url, _quote, data) {
  const svg = decodeURIComponent(data.replaceAll(/\\(["'])/g, '$1'));
  const name = `assets/icon.${createHash('sha256').update(svg).digest('hex').slice(0, 8)}.svg`;
  writeFileSync(join(out, name), svg);
  return `url(${base}${name})`;
}

/** https://llmstxt.org: the pages with their descriptions, for programs that read the documentation. */
function renderOverview() {
  const sections = readSections().map(({ text, groups }) => {
    const items = groups.flatMap((group) => group.items);
    const lines = items.map((item) => `- [${item.text}](${base}${item.link.slice(1)}): ${item.about}`);
    return `## ${text}\n\n${lines.join('\n')}\n`;
  });
  return `# Dockbell ${version}\n\n> A GitOps reconciler and a durable webhook ingress.\n\n${sections.join('\n')}`;
}

/** Compresses at build time instead of per request. Browsers accept gzip also without TLS. */
function compressFiles() {
  const names = readdirSync(out, { recursive: true }).filter((name) => /\.(?:html|js|css|svg|txt|json)$/.test(name));
  for (const name of names)
    writeFileSync(join(out, `${name}.gz`), gzipSync(readFileSync(join(out, name)), { level: 9 }));
}
