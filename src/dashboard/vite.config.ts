import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { listRulePages } from '../../scripts/rule-docs.ts';

const OUT_DIR = '../../dist/dashboard';

/** Provides the explanations of the rules (docs/rules/guides.yaml) as data, under the name `virtual:rule-pages`. */
function provideRulePages(): Plugin {
  const name = 'virtual:rule-pages';
  return {
    name: 'rule-pages',
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) => (id === `\0${name}` ? `export default ${JSON.stringify(listRulePages())}` : null),
  };
}

/** Compresses assets at build time instead of per request. */
function compressAssets(): Plugin {
  return {
    name: 'compress-assets',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const assets = join(dir, 'assets');
      const files = (await readdir(assets)).filter((name) => /\.(?:js|css|svg)$/.test(name));
      await Promise.all(files.map((name) => compress(join(assets, name))));
    },
  };
}

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file);
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes));
  await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

/**
 * Shared code is one chunk, because browsers limit parallel requests. It includes Mantine's styles, before the dashboard's
 * styles, which override them.
 */
const SHARED =
  /@mantine\/.*\.css$|\/src\/(?:words|client)\/|\/dashboard\/(?:global\.css|(?:api|parts|shell)\/(?!rules\/))/;

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react(), provideRulePages(), compressAssets()],
  build: {
    outDir: OUT_DIR,
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy does not allow data: URLs.
    assetsInlineLimit: 0,
    // Browsers do not retry a failed stylesheet import, unlike a script.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    // Required by the licenses of the bundled packages.
    license: { fileName: 'licenses.md' },
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', test: SHARED }] } } },
    // test/browser/dashboard.size.test.ts limits the size of the first load.
    chunkSizeWarningLimit: 1_000,
  },
});
