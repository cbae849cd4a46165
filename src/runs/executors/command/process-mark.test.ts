import { expect, it } from 'vitest';
import { markProcesses, selectStartedBetween } from './process-mark.ts';

const PIDS = [5, 99, 100, 101, 150, 200, 201, 30_000];
const select = (before: [number, number] | null, after: [number, number] | null, surely: number) => {
  const mark = (values: [number, number] | null) => values && { starts: values[0], lastPid: values[1] };
  return PIDS.filter(selectStartedBetween(mark(before), mark(after), surely));
};

it.each([
  ['numbers between the marks', [1000, 100], [1100, 200], 101, [101, 150, 200]],
  ['numbers that began again at the bottom', [1000, 201], [1100, 100], 30_000, [5, 99, 100, 30_000]],
  ['all, if there were more starts than numbers', [1000, 100], [31_000, 200], 101, PIDS],
  ['all, if the marks do not fit a process that was started', [1000, 0], [1000, 0], 150, PIDS],
  ['all, if the system gives no marks', null, [1100, 200], 150, PIDS],
] as const)('selects %s', (_title, before, after, surely, expected) => {
  const copy = (mark: readonly [number, number] | null): [number, number] | null => mark && [...mark];
  expect(select(copy(before), copy(after), surely)).toEqual(expected);
});

it('reads a mark where there is /proc', async () => {
  if (process.platform === 'linux') expect((await markProcesses())!.starts).toBeGreaterThan(0);
  else expect(await markProcesses()).toBeNull();
});
