// Builds src/ without the dashboard to dist/, unless sources and packages have not changed. Modules and libraries are
// joined to few files, because loading 1,600 files is slow: the daemon starts in two thirds of the time, a command in half.
// The two native libraries are not joined.
import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { escapeNotices } from './ascii-notices.mjs';
import { buildOnce } from './build-once.mjs';
import { replaceValidators } from './compile-validators.ts';
import { deferEmoji } from './lazy-emoji.mjs';
import { importPlainHttp } from './plain-http.mjs';
import { YAML_LIBRARY } from './yaml-library.mjs';

/** Entry points: the program and its threads, then the modules that tests start in a separate process. */
const ENTRIES = [
  'main',
  'app/reconcile-thread/worker',
  'source/git-host-process',
  'inspection/definitions-worker',
  'diagnosis/diagnosis-worker',
  'app/inspection-worker',
  'app/pull-requests/request-worker',
  'storage/sqlite/checkpoints/checkpoint-worker',
  'storage/sqlite/disk/check-worker',
  'storage/sqlite/disk/copy-worker',
  'storage/postgres/thread/worker',
  'storage/sqlite/thread/worker',
  'demo/run-demo',
  'app/start-daemon',
  'executors/start-records',
  'app/watchdog-process',
];

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
      define: { 'process.env.DOCKBELL_BUILD_COMMIT': JSON.stringify(readCommit()) },
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
          input: Object.fromEntries(ENTRIES.map((entry) => [entry, `src/${entry}.ts`])),
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

/** The commit that is built, with `-dirty` after it if sources differ from it. Empty without git or a repository. */
function readCommit() {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    // The sources may be in a folder of another repository.
    if (relative(realpathSync(root), git('rev-parse', '--show-toplevel')) !== '') return '';
    const isDirty = git('status', '--porcelain', '--untracked-files=no', '--', 'src', 'schemas') !== '';
    return `${git('rev-parse', 'HEAD')}${isDirty ? '-dirty' : ''}`;
  } catch {
    return '';
  }
}
