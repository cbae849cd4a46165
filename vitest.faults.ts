import { defineConfig } from 'vitest/config';
import { TAGS } from './vitest.config.ts';

/** `npm run test:faults`: tests that damage disks and clocks or need special tools, and more rounds of random faults. */
export default defineConfig({
  test: {
    include: [
      'test/faults/*.test.ts',
      'test/e2e/{crash,kill-before-answer}.test.ts',
      'test/integration/{run.simulation,storage.checkpoints}.test.ts',
    ],
    setupFiles: ['test/helpers/check-documented-answers.ts', 'test/helpers/after-each-file.ts'],
    env: { DOCKBELL_CRASH_ROUNDS: '50', DOCKBELL_KILL_ROUNDS: '12', DOCKBELL_SIMULATED_SCENARIOS: '400' },
    tags: TAGS,
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 20_000 } },
    fileParallelism: false,
  },
});
