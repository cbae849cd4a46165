import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/timing/longest-first.ts';

// Node.js keeps here what it compiled: the tests start some hundred processes with the same modules.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('.cache/compiled', import.meta.url));

/** Start the whole daemon in their process, or leave something behind in it. */
const NEED_A_PROCESS = [
  'test/integration/{app,cli.process,storage.faults}*.test.ts',
  'test/integration/{api.concurrent-requests,reconcile.live-before-read,source.managed}.test.ts',
];

/**
 * Two projects, run side by side. The files of `shared` leave nothing behind in modules and share a few processes, so that
 * nothing is loaded twice; those of `process` have one each.
 */
export default defineConfig({
  test: {
    setupFiles: ['test/helpers/check-documented-answers.ts', 'test/helpers/after-each-file.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // The default of one second is too short when other tests run on the same cores.
    expect: { poll: { timeout: 20_000 } },
    // Processes, because some tests measure the processor time of their own.
    pool: 'forks',
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/timing/duration-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['src/**/*.test.ts', 'test/{browser,contract,docs,e2e,integration,providers}/*.test.ts'],
          exclude: ['**/node_modules/**', ...NEED_A_PROCESS],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'process', include: NEED_A_PROCESS } },
    ],
  },
});
