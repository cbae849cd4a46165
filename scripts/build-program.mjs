// Builds src/ without the dashboard to dist/, unless sources and packages have not changed. Modules and libraries are
// joined to few files, because loading 1,600 files is slow: the daemon starts in two thirds of the time, a command in half.
// The two native libraries are not joined.
import { build } from 'vite';
import { escapeNotices } from './ascii-notices.mjs';
import { writeBuildIdentity } from './build-identity.ts';
import { buildOnce } from './build-once.mjs';
import { replaceValidators } from './compile-validators.ts';
import { deferEmoji } from './lazy-emoji.mjs';
import { importPlainHttp } from './plain-http.mjs';
import { PROGRAM_ENTRIES } from './program-entries.ts';
import { YAML_LIBRARY } from './yaml-library.mjs';

await buildOnce({
  sources: [
    'src',
    'schemas',
    ...[
      'ascii-notices.mjs',
      'build-program.mjs',
      'compile-validators.ts',
      'lazy-emoji.mjs',
      'plain-http.mjs',
      'program-entries.ts',
      'yaml-library.mjs',
    ].map((name) => `scripts/${name}`),
  ],
  stamp: 'dist/.built-from',
  made: ['dist/chunks'],
  build: () =>
    build({
      configFile: false,
      logLevel: 'warn',
      plugins: [replaceValidators(), importPlainHttp(), deferEmoji(), escapeNotices()],
      resolve: { alias: [YAML_LIBRARY] },
      ssr: { noExternal: true, external: ['@node-rs/argon2', 'better-sqlite3'] },
      build: {
        ssr: true,
        outDir: 'dist',
        emptyOutDir: false,
        target: 'node22',
        minify: false,
        // The licences of the joined packages require it.
        license: { fileName: 'licenses.md' },
        rolldownOptions: {
          input: Object.fromEntries(PROGRAM_ENTRIES.map((entry) => [entry, `src/${entry}.ts`])),
          output: {
            entryFileNames: '[name].js',
            chunkFileNames: 'chunks/[name]-[hash].js',
            // V8 stores a source with other characters as UTF-16.
            charset: 'ascii',
            comments: { legal: true, annotation: false, jsdoc: false },
          },
        },
      },
    }),
});

writeBuildIdentity();
