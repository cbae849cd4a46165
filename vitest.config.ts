import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { YAML_LIBRARY } from './scripts/yaml-library.mjs';
import { LongestFirst } from './test/timing/longest-first.ts';

// Compile cache of Node.js: the tests start some hundred processes with the same modules.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('.cache/compiled', import.meta.url));

/** Tests that start the whole daemon in their process, or leave state in it. */
const NEED_A_PROCESS = [
  'test/integration/{app,cli.process}*.test.ts',
  'test/integration/{api.concurrent-requests,reconcile.live-before-read,source.managed}.test.ts',
];

/** Tests that start hundreds of programs, mostly git. A start copies the page tables, so the process must stay small. */
const START_PROGRAMS = ['test/integration/{checks,edit,reconcile.preview,run,source}*.test.ts'];

/** CONTRIBUTING.md says which tests have the tag. `npm test` omits them (`scripts/tasks.mjs`). */
export const TAGS = [
  { name: 'full', description: 'Only `npm run test:full` runs these tests.' },
  { name: 'continues', description: 'Needs the tests before it in its file.' },
];

/**
 * Test files run one after another in a few processes, so that modules are loaded once. Files in NEED_A_PROCESS get a
 * separate process each. The groups do not share processes, because each file leaves objects behind, and a large process
 * collects garbage and starts programs slowly. The contract tests of the storages need a server of PostgreSQL.
 */
export default defineConfig({
  resolve: { alias: [YAML_LIBRARY] },
  test: {
    setupFiles: [
      'test/timing/processor-time.ts',
      'test/helpers/check-documented-answers.ts',
      'test/helpers/after-each-file.ts',
    ],
    tags: TAGS,
    // Only a test that hangs needs that long. A slow machine with other tests on the same cores must not fail the others.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 40_000 } },
    // Processes instead of threads, because some tests measure the CPU time of their process.
    pool: 'forks',
    // Vite would transform the built daemon: its source maps take 150 MB in each process.
    server: { deps: { external: [/\/dist\/.*\.js$/] } },
    // Many tests wait, so two cores are busy only with more processes. With six, tests that measure time fail on a busy machine.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/timing/duration-reporter.ts'],
    projects: [
      { extends: true, test: { name: 'own process', include: NEED_A_PROCESS } },
      {
        extends: true,
        test: { name: 'programs', include: START_PROGRAMS, exclude: NEED_A_PROCESS, isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'storages',
          include: ['test/contract/*.test.ts'],
          globalSetup: 'test/helpers/postgres-server.ts',
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'daemons',
          include: ['test/e2e/*.test.ts', 'test/browser/**/*.test.ts'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'other',
          include: ['test/{integration,providers}/*.test.ts'],
          exclude: ['**/node_modules/**', ...NEED_A_PROCESS, ...START_PROGRAMS],
          isolate: false,
        },
      },
      // `npm test` omits them (`scripts/tasks.mjs`).
      { extends: true, test: { name: 'documents', include: ['test/docs/*.test.ts'], isolate: false } },
      { extends: true, test: { name: 'units', include: ['src/**/*.test.ts'], isolate: false } },
    ],
  },
});
