import { defineConfig } from 'vitest/config';

// Files run side by side on two cores; what starts daemons or kills them has room in its own time limit.
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['test/helpers/check-documented-answers.ts'],
    globalSetup: ['test/helpers/share-chromium.ts'],
    testTimeout: 60_000,
    // The second that is its default is too short where others test on the same cores.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 120_000,
    maxWorkers: 3,
    pool: 'forks',
  },
});
