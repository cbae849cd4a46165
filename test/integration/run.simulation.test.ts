import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseSeed } from '../helpers/seeded-random.ts';
import { CRASH_POINTS, SimulatedDispatch, type SimulationOptions, type Step } from '../helpers/simulated-dispatch.ts';
import { StoredRunQueue } from '../helpers/stored-run-queue.ts';

/** `npm run test:faults` sets a higher number. */
const SCENARIOS = Number(process.env.DOCKBELL_SIMULATED_SCENARIOS ?? 12);

const seed = chooseSeed();

const which = fc.nat({ max: 20 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), count: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('end' as const), which, succeeds: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('retry' as const), which }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('arm' as const),
      at: fc.constantFrom(...CRASH_POINTS),
      isAfter: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('crash' as const, 'stop' as const) }) },
);
const scenario = fc.record({
  concurrency: fc.integer({ min: 1, max: 3 }),
  retryInterrupted: fc.boolean(),
  steps: fc.array(step, { minLength: 5, maxLength: 25 }),
});

const CRASH_WITH_RETRY = {
  concurrency: 1,
  retryInterrupted: true,
  steps: [{ kind: 'add', count: 2 }, { kind: 'crash' }] satisfies Step[],
};

/** Random orders of everything that can happen to runs, with crashes between a change and its answer. */
describe(`the dispatcher, in ${SCENARIOS} random scenarios (DOCKBELL_SEED=${seed})`, () => {
  let folder: string;
  let template: string;
  let count = 0;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'dockbell-simulation-'));
    template = join(folder, 'template.db');
    new StoredRunQueue(template).close();
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function simulate(
    options: Omit<SimulationOptions, 'folder' | 'template'>,
    steps: readonly Step[],
  ): Promise<void> {
    count += 1;
    const own = join(folder, String(count));
    await new SimulatedDispatch({ ...options, folder: own, template }).run(steps);
    rmSync(own, { recursive: true });
  }

  it('starts no attempt twice, keeps each end, and ends each run in a state that says what is known', {
    tags: 'full',
  }, async () => {
    await fc.assert(
      fc.asyncProperty(scenario, ({ steps, ...options }) => simulate(options, steps)),
      { seed, numRuns: SCENARIOS, examples: [[CRASH_WITH_RETRY]] },
    );
  });

  it('detects a dispatcher that ignores start records (control)', async () => {
    const steps: Step[] = [{ kind: 'add', count: 1 }, { kind: 'crash' }];
    const options = { concurrency: 1, retryInterrupted: false, ignoresStartRecords: true };
    await expect(simulate(options, steps)).rejects.toThrow('started twice');
  });
});
