import { defineConfig } from 'vitest/config';

/** The second part of `npm run test:full`: three benchmarks at a time, which only show that they work. */
export default defineConfig({
  test: {
    include: ['test/full/*.test.ts'],
    setupFiles: ['test/helpers/after-each-file.ts'],
    fileParallelism: false,
    maxConcurrency: 3,
    reporters: ['default', './test/full/count-reporter.ts'],
  },
});
