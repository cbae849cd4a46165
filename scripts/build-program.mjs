// Builds src/ without the dashboard to dist/, unless it was built from the same sources and packages already. Modules and
// libraries are joined to few files: the daemon starts in two thirds of the time that it takes to load 1,600, a command
// in half. The two native libraries stay outside.
import { build } from 'vite';
import { buildOnce } from './build-once.mjs';

/** What is started by itself: the program and its threads; then what tests start in their own process. */
const ENTRIES = [
  'main',
  'inspection/definitions-worker',
  'diagnosis/diagnosis-worker',
  'inspection/inspection-worker',
  'storage/sqlite/disk/check-worker',
  'storage/sqlite/thread/worker',
  'demo/run-demo',
  'app/start-daemon',
  'executors/start-records',
];

await buildOnce({
  sources: ['src', 'scripts/build-program.mjs'],
  stamp: 'dist/.built-from',
  made: ['dist/chunks'],
  build: () =>
    build({
      configFile: false,
      logLevel: 'warn',
      ssr: { noExternal: true, external: ['@node-rs/argon2', 'better-sqlite3'] },
      build: {
        ssr: true,
        outDir: 'dist',
        emptyOutDir: false,
        target: 'node22',
        minify: false,
        // The packages that the program is made of ask for it.
        license: { fileName: 'licenses.md' },
        rolldownOptions: {
          input: Object.fromEntries(ENTRIES.map((entry) => [entry, `src/${entry}.ts`])),
          output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
        },
      },
    }),
});
