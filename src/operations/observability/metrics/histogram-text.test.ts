import { describe, expect, it } from 'vitest';
import { Histogram } from '../../../domain/telemetry/histogram.ts';
import { formatLabels, renderHistograms } from './histogram-text.ts';

describe('histograms in the text format', () => {
  it('have a line for each bucket, the sum and the count', () => {
    const histogram = new Histogram([0.5, 1]);
    histogram.observe(0.75);
    const text = renderHistograms('a_seconds', 'Help.', [{ labels: formatLabels({ factory: 'f' }), histogram }]);
    expect(text.split('\n')).toEqual([
      '# HELP a_seconds Help.',
      '# TYPE a_seconds histogram',
      'a_seconds_bucket{factory="f",le="0.5"} 0',
      'a_seconds_bucket{factory="f",le="1"} 1',
      'a_seconds_bucket{factory="f",le="+Inf"} 1',
      'a_seconds_sum{factory="f"} 0.75',
      'a_seconds_count{factory="f"} 1',
      '',
    ]);
  });

  it('have labels that cannot end the line or the value', () => {
    expect(formatLabels({ a: 'x"y\\z\nw', b: '' })).toBe(String.raw`a="x\"y\\z\nw",b=""`);
  });
});
