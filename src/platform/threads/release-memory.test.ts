import { once } from 'node:events';
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createIdleRelease } from './release-memory.ts';

const MODULE = new URL('./release-memory.ts', import.meta.url).href;

/** Leaves 40 MB of garbage, then posts its heap before and after. */
const WORKER = `
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { releaseMemory } from ${JSON.stringify(MODULE)};
let list = Array.from({ length: 400_000 }, (_, i) => ({ i, text: String(i) }));
list = null;
const before = getHeapStatistics().total_physical_size;
releaseMemory();
parentPort.postMessage({ before, after: getHeapStatistics().total_physical_size });
`;

describe('releaseMemory', () => {
  it('returns the memory of the garbage of a thread to the system', async () => {
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(WORKER)}`));
    const [{ before, after }] = await once(worker, 'message');
    expect(before).toBeGreaterThan(20e6);
    expect(after).toBeLessThan(10e6);
  });
});

describe('createIdleRelease', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('releases memory 10 seconds after the last work', () => {
    const afterWork = createIdleRelease();
    const garbage = leaveGarbage();
    afterWork();
    vi.advanceTimersByTime(9_000);
    afterWork();
    vi.advanceTimersByTime(9_000);
    expect(garbage.isKept()).toBe(true);
    vi.advanceTimersByTime(2_000);
    expect(garbage.isKept()).toBe(false);
  });

  it('does not release memory again before the thread has grown', { tags: 'full' }, () => {
    const afterWork = createIdleRelease();
    afterWork();
    vi.advanceTimersByTime(11_000);
    const garbage = leaveGarbage();
    afterWork();
    vi.advanceTimersByTime(11_000);
    expect(garbage.isKept()).toBe(true);
  });
});

/** 2 MB outside of the heap, which only a full collection frees. */
function leaveGarbage() {
  const bytes = 2_000_000;
  const before = getHeapStatistics().external_memory;
  new Uint8Array(bytes).fill(1);
  return { isKept: () => getHeapStatistics().external_memory >= before + bytes };
}
