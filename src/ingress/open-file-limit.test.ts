import { describe, expect, it } from 'vitest';
import { computeMaxConnections, readOpenFileLimit, warnOfLowFileLimit } from './open-file-limit.ts';

describe('the connections of the ingress listener', () => {
  it.each([
    [65_536, 10_000],
    [10_200, 10_000],
    [4_096, 3_896],
    [1_024, 824],
    [256, 64],
    [2, 1],
    [null, 10_000],
  ])('with an open file limit of %s are at most %d', (limit, connections) => {
    expect(computeMaxConnections(limit)).toBe(connections);
  });

  it('are reported at the start if the limit is low', () => {
    const lines: unknown[] = [];
    const logger = { warn: (fields: unknown, message: string) => lines.push([fields, message]) } as never;
    for (const limit of [null, 4_096, 1_024]) warnOfLowFileLimit(limit, logger);
    expect(lines).toEqual([
      [
        expect.objectContaining({ openFileLimit: 1_024, maxConnections: 824, hint: expect.stringContaining('4096') }),
        'open file limit is low',
      ],
    ]);
  });

  it.runIf(process.platform === 'linux')('follow the limit of this process', () => {
    expect(readOpenFileLimit()).toBeGreaterThan(0);
  });
});
