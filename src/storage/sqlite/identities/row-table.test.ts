import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RowTable } from './row-table.ts';

/** Few distinct hashes, so that sequences of occupied slots are long and wrap around. */
const hash = fc.record({
  low: fc.constantFrom(0, 1, 256),
  high: fc.oneof(fc.constantFrom(0, 0xffffffff, 0xfffffff0, 0x80000000), fc.nat({ max: 0xffffffff })),
});
const commands = fc.array(fc.record({ hash, isRemoval: fc.boolean(), pick: fc.nat() }), { maxLength: 200 });

describe('the table of rows', () => {
  it('finds exactly the rows that were added and not removed', () => {
    fc.assert(
      fc.property(commands, (drawn) => {
        const table = new RowTable();
        const rows: { hash: { low: number; high: number }; row: number }[] = [];
        const removed: typeof rows = [];
        for (const [index, { hash, isRemoval, pick }] of drawn.entries()) {
          if (!isRemoval || rows.length === 0) {
            // Row numbers beyond 32 bits too.
            const row = index % 2 === 0 ? index + 1 : 2 ** 40 + index;
            table.add(hash, row);
            rows.push({ hash, row });
          } else {
            const [taken] = rows.splice(pick % rows.length, 1);
            table.remove(taken!.hash, taken!.row);
            removed.push(taken!);
          }
        }
        const find = (of: { hash: { low: number; high: number }; row: number }) =>
          table.find(of.hash, (row) => row === of.row);
        expect(rows.map(find)).toEqual(rows.map(({ row }) => row));
        expect(removed.map(find)).toEqual(removed.map(() => 0));
        expect(table.size).toBe(rows.length);
      }),
      { numRuns: 300 },
    );
  });

  it('uses less than 17 bytes for a row while it grows, and releases memory when rows are removed', () => {
    const table = new RowTable();
    // A multiplicative sequence distributes hashes evenly.
    const hashOf = (row: number) => ({ low: (row * 2654435761) >>> 0, high: (row * 2246822519) >>> 0 });
    for (let row = 1; row <= 200_000; row++) {
      table.add(hashOf(row), row);
      if (row % 10_000 === 0) expect(table.bytes / row).toBeLessThan(17);
    }
    for (let row = 1; row <= 199_000; row++) table.remove(hashOf(row), row);
    expect(table.bytes).toBeLessThan(100_000);
    expect(table.find(hashOf(199_500), (row) => row === 199_500)).toBe(199_500);
  });
});
