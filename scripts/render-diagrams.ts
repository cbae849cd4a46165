// Writes docs/diagrams/: the pictures of all Mermaid blocks in docs/, for the light and the dark theme. Needs Chromium, and
// downloads Mermaid once. Run it after a change of a diagram: npm run docs:diagrams
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { openChromium } from '../test/helpers/open-chromium.ts';
import { DIAGRAM_FOLDER, DIAGRAM_THEMES, describeSource, diagramPath, listDiagrams } from './diagrams.ts';
import { runNpm } from './run-npm.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const CACHE = `${ROOT}.cache/mermaid`;
const MERMAID = {
  version: '12.3.0',
  integrity: 'sha512-4113TdXeLAsMruJ79OpFL5O8+LTFXhQqZ260rF3tgUmiNAtRm4Uume04I+65PRN6yZ69J4f8rVYWW8zRk65UYw==',
};

const browser = await openChromium();
const page = await browser.newPage();
await page.setContent('<body></body>');
await page.addScriptTag({ content: readMermaid() });
rmSync(`${ROOT}${DIAGRAM_FOLDER}`, { recursive: true, force: true });
mkdirSync(`${ROOT}${DIAGRAM_FOLDER}`);
for (const { name, source } of listDiagrams()) {
  for (const theme of DIAGRAM_THEMES) {
    const svg = await render(page, source, theme);
    writeFileSync(`${ROOT}${diagramPath(name, theme)}`, `${describeSource(source)}\n${svg}\n`);
  }
}
await browser.close();

/** The one file of the package that holds the whole library. The package is verified, and its dependencies are not needed. */
function readMermaid(): string {
  const file = `${CACHE}/package/dist/mermaid.min.js`;
  if (!existsSync(file)) downloadMermaid();
  return readFileSync(file, 'utf8');
}

function downloadMermaid(): void {
  mkdirSync(CACHE, { recursive: true });
  const { stdout } = runNpm(['pack', `mermaid@${MERMAID.version}`, '--json', '--ignore-scripts'], { cwd: CACHE });
  if (!String(stdout).includes(MERMAID.integrity)) throw new Error('The package of Mermaid is not the expected one.');
  const [tarball] = readdirSync(CACHE).filter((name) => name.endsWith('.tgz'));
  const { status } = spawnSync('tar', ['-xzf', tarball!, 'package/dist/mermaid.min.js'], { cwd: CACHE });
  if (status !== 0) throw new Error(`Cannot unpack ${tarball}.`);
}

/** Labels are SVG text, because pictures cannot contain HTML. Identifiers are constant, so that only changes show in a diff. */
async function render(target: Page, source: string, theme: string): Promise<string> {
  const settings = {
    theme: theme === 'dark' ? 'dark' : 'neutral',
    htmlLabels: false,
    flowchart: { htmlLabels: false, useMaxWidth: false },
    state: { useMaxWidth: false },
    fontFamily: 'system-ui, sans-serif',
    deterministicIds: true,
    handDrawnSeed: 1,
  };
  const svg = await target.evaluate<string>(
    `mermaid.initialize(${JSON.stringify({ ...settings, startOnLoad: false })}),
     mermaid.render('diagram', ${JSON.stringify(source)}).then(({ svg }) => svg)`,
  );
  return svg.replaceAll(/\d+\.\d{2,}/g, (number) => String(Math.round(Number(number) * 10) / 10));
}
