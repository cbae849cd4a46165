import { defineConfig } from 'vitest/config';
import { TAGS } from './vitest.config.ts';

/** `npm run test:faults`: all tests with daemons or a browser, one file after another. `npm test` omits the tag `long`. */
export default defineConfig({
  test: {
    include: [
      'test/{e2e,faults}/*.test.ts',
      'test/browser/**/*.test.ts',
      'test/integration/{run.simulation,storage.checkpoints}.test.ts',
    ],
    setupFiles: ['test/helpers/check-documented-answers.ts', 'test/helpers/after-each-file.ts'],
    env: { DOCKBELL_CRASH_ROUNDS: '50', DOCKBELL_SIMULATED_SCENARIOS: '400', DOCKBELL_EVERY_THEME: '1' },
    tags: TAGS,
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 20_000 } },
    fileParallelism: false,
  },
});
