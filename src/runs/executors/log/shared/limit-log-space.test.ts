import { expect, it } from 'vitest';
import type { RunId } from '../../../../domain/ids.ts';
import { limitLogSpace } from './limit-log-space.ts';

const runId = (index: number): RunId => `run_${String(index).padStart(26, '0')}`;

/** Logs of ended runs with 1,000 bytes each. Those of `stuck` cannot be removed. */
function openSpace(count: number, stuck: ReadonlySet<RunId>) {
  const logs = new Map(Array.from({ length: count }, (_, index) => [runId(index), 1_000]));
  const limit = (limitBytes: number) =>
    limitLogSpace(
      {
        parts: {
          totalBytes: async () => [...logs.values()].reduce((sum, bytes) => sum + bytes, 0),
          oldestEnded: async ({ minBytes, limit }) =>
            [...logs]
              .filter(([, bytes]) => bytes > minBytes)
              .slice(0, limit)
              .map(([run, bytes]) => ({ run, attempt: 1, bytes })),
          append: async ({ run, bytes }) => {
            logs.set(run, bytes.length);
            return { outcome: 'appended', size: bytes.length } as never;
          },
        },
        remove: async (run) => {
          if (stuck.has(run)) throw new Error('the object is locked');
        },
        clock: { wallMs: () => 0, monotonicMs: () => 0 },
      },
      { limitBytes, isStopped: () => false },
    );
  return { logs, limit };
}

it.each([1, 150])('removes the logs of other runs if those of the %i oldest cannot be removed', async (count) => {
  const stuck = new Set(Array.from({ length: count }, (_, index) => runId(index)));
  const { logs, limit } = openSpace(count + 150, stuck);
  const freed = await limit(count * 1_000);
  expect(freed).toMatchObject({ runs: 150, bytes: 150_000 });
  expect(freed.stuck).toEqual([...stuck].map((run) => ({ run, problem: 'the object is locked' })));
  expect([...logs].filter(([, bytes]) => bytes === 1_000).map(([run]) => run)).toEqual([...stuck]);
});
