import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const MIB = 1_024 * 1_024;

/** A process, because the flags of V8 cannot be reset. It replaces lists that outlive a collection, and reports the largest size. */
function readYoungMiB(prepare: string): number {
  const script = `
    import { limitYoungGeneration } from ${JSON.stringify(new URL('heap-limits.ts', import.meta.url).href)};
    import { setImmediate } from 'node:timers/promises';
    import { getHeapSpaceStatistics } from 'node:v8';
    ${prepare}
    const kept = [];
    let largest = 0;
    for (let piece = 0; piece < 60; piece++) {
      kept[piece % 4] = Array.from({ length: 100_000 }, (_, i) => ({ text: String(i), list: [i, i, i, i, i, i, i, i] }));
      await setImmediate();
      largest = Math.max(largest, getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size);
    }
    console.log(largest, kept.length);
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  return Number(output.split(' ')[0]) / MIB;
}

it('memory for new objects grows to 64 MiB and hardly beyond', { tags: 'full' }, () => {
  expect(readYoungMiB('')).toBeGreaterThan(100);
  const limited = readYoungMiB('limitYoungGeneration();');
  expect(limited).toBeGreaterThanOrEqual(64);
  expect(limited).toBeLessThan(72);
});
