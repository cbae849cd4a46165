import { defineConfig } from 'vitest/config';

/** `npm run test:faults`: tests that take too long for `npm test`, one file after another. */
export default defineConfig({
  test: {
    include: [
      'test/faults/*.test.ts',
      'test/browser/{administration,details}/*.test.ts',
      'test/browser/dashboard.every-page.test.ts',
      'test/e2e/crash.test.ts',
      'test/integration/run.simulation.test.ts',
    ],
    setupFiles: ['test/helpers/check-documented-answers.ts', 'test/helpers/after-each-file.ts'],
    env: { DOCKBELL_CRASH_ROUNDS: '50', DOCKBELL_SIMULATED_SCENARIOS: '400', DOCKBELL_EVERY_THEME: '1' },
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 20_000 } },
    fileParallelism: false,
  },
});
