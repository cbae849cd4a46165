import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunId } from '../../domain/ids.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { Run } from '../../domain/resources/run.ts';
import { RetentionTime } from '../../domain/time/retention-time.ts';
import { type Housekeeping, type HousekeepingParts, startHousekeeping } from './housekeeping.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const runId = (index: number): RunId => `run_${String(index).padStart(26, '0')}`;

/** Files of runs and rows of runs as sets; both can be made to fail. */
function openHouse(pieces: RunId[][] = []) {
  const house = {
    files: new Set<RunId>(),
    rows: new Set<RunId>(),
    stuck: new Set<string>(),
    unreadable: new Set<RunId>(),
    errors: [] as string[],
    prunes: 0,
    /** How often rows had been removed when space was given back. */
    reclaims: [] as number[],
    failPrune: false,
    flushes: 0,
  };
  const logger: Logger = {
    info: () => {},
    warn: () => {},
    child: () => logger,
    error: (_fields, message) => house.errors.push(message),
  };
  const clock = { wallMs: () => 5, monotonicMs: () => 5 };
  const parts: HousekeepingParts = {
    policy: {
      deliveriesMs: 1,
      minDeliveries: 0,
      identitiesMs: 1,
      runsMs: 1,
      auditMs: 1,
      secretVersionsMs: 1,
      runBytes: 1,
    },
    space: { free: async () => ({ runs: 0, bytes: 0, stuck: [] }) },
    retention: {
      prune: async () => {
        house.prunes += 1;
        if (house.failPrune) throw new Error('full');
        const removedRuns = pieces.shift() ?? [];
        for (const run of removedRuns) house.rows.delete(run);
        return { more: pieces.length > 0, removedRuns };
      },
      lastMark: async () => null,
      noteMark: async () => {},
      reclaim: async () => {
        house.reclaims.push(house.prunes);
        return { more: false };
      },
    },
    runs: {
      get: async (run) => {
        if (house.unreadable.has(run)) throw new Error('unreadable');
        return house.rows.has(run) ? ({ id: run } as Run) : null;
      },
    },
    sharedLogs: null,
    files: {
      list: async () => [...house.files],
      removeRunFiles: async (run) => {
        if (house.stuck.has(run)) throw new Error('busy');
        house.files.delete(run as RunId);
      },
    },
    handshakeRows: { flush: () => {} },
    unlogged: { flush: async () => {} },
    rejectionRows: {
      flush: () => {
        house.flushes += 1;
      },
    },
    clock,
    steadyClock: clock,
    retentionTime: new RetentionTime(null, clock.wallMs()),
    uptimeMs: () => 0,
    conditions: { ofDaemon: () => [] },
    logger,
  };
  const add = (index: number, options: { row: boolean }) => {
    house.files.add(runId(index));
    if (options.row) house.rows.add(runId(index));
    return runId(index);
  };
  return { house, parts, add };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function startLeading(parts: HousekeepingParts): Housekeeping {
  const housekeeping = startHousekeeping(parts);
  housekeeping.lead(new AbortController().signal);
  return housekeeping;
}

describe('housekeeping', () => {
  it('removes what is too old piece by piece with pauses, and the files with the rows', async () => {
    const pieces = [[runId(1)], [runId(2)], [runId(3)]];
    const { house, parts, add } = openHouse(pieces);
    for (const index of [1, 2, 3, 4]) add(index, { row: true });
    const housekeeping = startLeading(parts);
    await vi.advanceTimersByTimeAsync(10);
    expect(house.prunes).toBe(1);
    await vi.advanceTimersByTimeAsync(200);
    expect([house.prunes, [...house.files]]).toEqual([3, [runId(4)]]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(house.prunes).toBe(4);
    expect(house.reclaims).toEqual([3, 4]);
    await housekeeping.stop();
    await vi.advanceTimersByTimeAsync(2 * DAY_MS);
    expect(house.prunes).toBe(4);
  });

  it('stops in the middle, between two pieces', async () => {
    const { house, parts } = openHouse([[], [], [], []]);
    const housekeeping = startLeading(parts);
    await vi.advanceTimersByTimeAsync(10);
    const stopped = housekeeping.stop();
    await vi.advanceTimersByTimeAsync(1_000);
    await stopped;
    expect(house.prunes).toBe(1);
  });

  it('continues if files cannot be removed, logs it, and finds them again within a day', async () => {
    const { house, parts, add } = openHouse([[runId(1), runId(2)]]);
    add(1, { row: true });
    add(2, { row: true });
    house.stuck.add(runId(1));
    const housekeeping = startLeading(parts);
    await vi.advanceTimersByTimeAsync(10);
    expect([...house.files]).toEqual([runId(1)]);
    expect(house.errors).toEqual([expect.stringContaining('within a day')]);
    house.stuck.clear();
    await vi.advanceTimersByTimeAsync(DAY_MS);
    expect([...house.files]).toEqual([]);
    await housekeeping.stop();
  });

  it('removes at the start only the files of runs that no longer have a row', async () => {
    const { house, parts, add } = openHouse();
    const kept = add(1, { row: true });
    for (let index = 2; index < 300; index += 1) add(index, { row: false });
    const housekeeping = startLeading(parts);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([...house.files]).toEqual([kept]);
    await housekeeping.stop();
  });

  it('removes at the start the files of the other runs if one cannot be looked up', async () => {
    const { house, parts, add } = openHouse();
    const unreadable = add(1, { row: true });
    add(2, { row: false });
    house.unreadable.add(unreadable);
    const housekeeping = startLeading(parts);
    await vi.advanceTimersByTimeAsync(10);
    expect([...house.files]).toEqual([unreadable]);
    expect(house.errors).toEqual([expect.stringContaining('within a day')]);
    await housekeeping.stop();
  });

  it('removes the logs that daemons share only as their leader: with their runs, after a failure, and above the limit', async () => {
    const { house, parts, add } = openHouse([[], [runId(1), runId(2)]]);
    add(1, { row: true });
    add(2, { row: true });
    const logs = new Set([runId(1), runId(2), runId(3)]);
    const limits: number[] = [];
    const housekeeping = startHousekeeping({
      ...parts,
      sharedLogs: {
        remove: async (run) => {
          if (house.stuck.has(run)) throw new Error('busy');
          logs.delete(run);
        },
        orphans: async () => [...logs].filter((run) => !house.rows.has(run)),
        limitSpace: async ({ limitBytes }) => {
          limits.push(limitBytes);
          return { runs: 0, bytes: 0, stuck: [] };
        },
      },
    });
    await vi.advanceTimersByTimeAsync(DAY_MS);
    expect([logs.size, limits, house.prunes]).toEqual([3, [], 0]);
    housekeeping.lead(new AbortController().signal);
    house.stuck.add(runId(1));
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect([...logs]).toEqual([runId(1)]);
    expect(house.errors).toContain('log of a run not removed; retried within a day');
    expect(limits).toEqual([1, 1]);
    house.stuck.clear();
    await vi.advanceTimersByTimeAsync(DAY_MS);
    expect([...logs]).toEqual([]);
    await housekeeping.stop();
  });

  it('retries a minute after the storage failed', async () => {
    const { house, parts } = openHouse();
    house.failPrune = true;
    const housekeeping = startLeading(parts);
    await vi.advanceTimersByTimeAsync(10);
    expect(house.errors).toHaveLength(1);
    house.failPrune = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect([house.prunes, house.errors.length]).toEqual([2, 1]);
    await housekeeping.stop();
  });

  it('writes the sums of rejections every few seconds', async () => {
    const { house, parts } = openHouse();
    const housekeeping = startLeading(parts);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(house.flushes).toBe(2);
    await housekeeping.stop();
  });
});
