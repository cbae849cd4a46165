import { describe, expect, it } from 'vitest';
import { allocateHistogram, Histogram } from './histogram.ts';

describe('a histogram', () => {
  it('counts a value in its bucket and in all larger ones', () => {
    const histogram = new Histogram([1, 2, 5]);
    for (const value of [0, 1, 1.5, 5, 6, 100]) histogram.observe(value);
    expect(histogram.read()).toEqual({ upTo: [2, 3, 4], count: 6, sum: 113.5 });
  });

  it('is empty before the first value', () => {
    expect(new Histogram([1]).read()).toEqual({ upTo: [0], count: 0, sum: 0 });
  });

  it('shows the values that another one with the same memory observed', () => {
    const memory = allocateHistogram([1, 2]);
    new Histogram([1, 2], memory).observe(2);
    expect(new Histogram([1, 2], memory).read()).toEqual({ upTo: [0, 1], count: 1, sum: 2 });
  });
});
