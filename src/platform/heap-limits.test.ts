import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const MIB = 1_024 * 1_024;

/** A process, because the flags of V8 cannot be reset. It keeps 200 MB in pieces, as an apply does, and reports the size. */
function readYoungMiB(prepare: string): number {
  const script = `
    import { limitYoungGeneration } from ${JSON.stringify(new URL('heap-limits.ts', import.meta.url).href)};
    import { setImmediate } from 'node:timers/promises';
    import { getHeapSpaceStatistics } from 'node:v8';
    ${prepare}
    const kept = [];
    for (let piece = 0; piece < 200; piece++) {
      for (let i = 0; i < 5_000; i++) kept.push({ text: String(i), list: [i, i, i, i, i, i, i, i] });
      await setImmediate();
    }
    console.log(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size, kept.length);
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  return Number(output.split(' ')[0]) / MIB;
}

it('memory for new objects grows to 16 MiB and not beyond', () => {
  expect(readYoungMiB('')).toBeGreaterThan(16);
  expect(readYoungMiB('limitYoungGeneration();')).toBe(16);
});
