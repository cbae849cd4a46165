import { defineConfig } from 'vitest/config';

/** The second part of `npm run test:full`: one file after another, because benchmarks need the whole machine. */
export default defineConfig({
  test: {
    include: ['test/full/*.test.ts'],
    setupFiles: ['test/helpers/after-each-file.ts'],
    fileParallelism: false,
    reporters: ['default', './test/full/count-reporter.ts'],
  },
});
