import { describe, expect, it } from 'vitest';
import { mergeRows } from './merge-rows.ts';

const row = (time: string, rest: string, value = '') => ({ id: `dlv_${time.padStart(10, '0')}${rest}`, value });
const valuesOf = (rows: { value: string }[]) => rows.map(({ value }) => value).join(' ');

describe('mergeRows', () => {
  it('replaces listed rows in their place', () => {
    const listed = [row('3', 'c', 'c'), row('2', 'b', 'b'), row('1', 'a', 'a')];
    expect(valuesOf(mergeRows(listed, [row('2', 'b', 'new')]))).toBe('c new a');
  });

  it('inserts rows before the first row that is not newer', () => {
    const listed = [row('5', 'a', '5'), row('3', 'a', '3'), row('1', 'a', '1')];
    const arrived = [row('4', 'a', '4'), row('2', 'a', '2'), row('0', 'a', '0'), row('6', 'a', '6')];
    expect(valuesOf(mergeRows(listed, arrived))).toBe('6 5 4 3 2 1 0');
  });

  it('keeps the order of arrival for rows of the same millisecond, the last one first', () => {
    const arrived = [row('1', 'z', 'first'), row('1', 'a', 'second'), row('1', 'm', 'third')];
    expect(valuesOf(mergeRows([row('1', 'b', 'listed')], arrived))).toBe('third second first listed');
  });

  it('shows a row once that arrived several times', () => {
    expect(valuesOf(mergeRows([], [row('1', 'a', 'old'), row('1', 'a', 'new')]))).toBe('new');
  });
});
