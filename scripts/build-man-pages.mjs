// Writes the manual pages to man/, unless the commands have not changed. The folder is part of the package, not of the
// repository. SOURCE_DATE_EPOCH or the time of the commit is their date, so the same commit makes the same bytes.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildOnce } from './build-once.mjs';
import { readSourceTime } from './source-time.mjs';

const RENDERERS = ['build-man-pages.mjs', 'cli-reference.ts', 'man-pages.ts', 'program-tree.ts'];

await buildOnce({
  sources: [
    'src/cli',
    'src/domain',
    'docs/reference/cli.md',
    'package.json',
    ...RENDERERS.map((name) => `scripts/${name}`),
  ],
  stamp: 'man/.built-from',
  made: ['man'],
  build: async () => {
    // Imported here, because it loads all commands.
    const { renderManPages } = await import('./man-pages.ts');
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const date = readSourceTime('.').toISOString().slice(0, 10);
    mkdirSync('man');
    for (const { file, text } of await renderManPages({ version, date })) writeFileSync(join('man', file), text);
  },
});
