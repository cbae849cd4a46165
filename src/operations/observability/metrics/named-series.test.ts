import { describe, expect, it } from 'vitest';
import { NamedSeries, OTHER } from './named-series.ts';

describe('named series', () => {
  it('give names up to the limit, and keep them', () => {
    const series = new NamedSeries(2);
    expect(['b', 'a', 'c', 'b', 'a'].map((name) => series.labelOf('f', name))).toEqual(['b', 'a', OTHER, 'b', 'a']);
    expect(series.labelOf('g', 'a')).toBe(OTHER);
  });

  it('use the place of a released object again', () => {
    const series = new NamedSeries(1);
    series.labelOf('f', 'a');
    series.release('f', 'a');
    series.release('f', 'a');
    expect([series.labelOf('f', 'b'), series.labelOf('f', 'a')]).toEqual(['b', OTHER]);
  });

  it('release a whole factory, and everything that is not kept', () => {
    const series = new NamedSeries(3);
    for (const [factory, name] of [
      ['f', 'a'],
      ['f', 'b'],
      ['g', 'a'],
    ] as const)
      series.labelOf(factory, name);
    expect(series.releaseExcept((_factory, name) => name === 'a')).toEqual([{ factory: 'f', name: 'b' }]);
    series.releaseFactory('f');
    expect(series.has('f', 'a')).toBe(false);
    expect(series.has('g', 'a')).toBe(true);
    expect(['c', 'd', 'e'].map((name) => series.labelOf('f', name))).toEqual(['c', 'd', OTHER]);
  });
});
