import { describe, expect, it } from 'vitest';
import { divide, row } from '../../bench/kit/benchmark.ts';
import { parseOptions } from '../../bench/kit/options.ts';
import { PUBLISHED } from '../../bench/kit/published.ts';
import { formatReport, type Report } from '../../bench/kit/report.ts';
import { takeMedian, takePercentile } from '../../bench/kit/statistics.ts';
import { writeFigures } from '../../bench/kit/write-figures.ts';

const report: Report = {
  name: 'start',
  rounds: 3,
  machine: { cores: 2, cpu: 'Example', memoryGiB: 24, node: '24.0.0' },
  fsync: { medianMs: 0.2, minMs: 0.1, maxMs: 3 },
  tables: [
    {
      title: 'Start',
      notes: ['Each start is a new process.'],
      rows: [
        row('met', 'ms', [3, 1, 2], { atMost: 2 }),
        row('missed', '×', [0.3, 0.5, 0.39], { atLeast: 0.4, stretch: 0.5 }),
        row('longest', 'ms', [1, 1, 30], { atMost: 10, of: 'maximum' }),
      ],
    },
  ],
};

describe('statistics of a benchmark', () => {
  it('the median does not depend on the order, and an even number of samples has the mean of the middle', () => {
    expect(takeMedian([30, 1, 2])).toBe(2);
    expect(takeMedian([4, 1, 2, 30])).toBe(3);
    expect(takeMedian([])).toBeNaN();
  });

  it('compares numbers and not texts', () => {
    expect(takeMedian([9, 10, 100])).toBe(10);
    expect(takePercentile([100, 9, 10], 0.99)).toBe(100);
  });

  it('a ratio is formed within one round', () => {
    expect(divide([10, 40], [20, 20])).toEqual([0.5, 2]);
  });
});

describe('report of a benchmark', () => {
  it('compares the median with the target, or the maximum if the target is one of stalls', () => {
    const lines = formatReport(report).split('\n');
    expect(lines.find((line) => line.startsWith('met'))).toMatch(/2\.00 ms +1\.00 ms +3\.00 ms +≤ 2\.00 ms +yes$/);
    expect(lines.find((line) => line.startsWith('missed'))).toMatch(/≥ 0\.40× \(stretch 0\.50×\) +no$/);
    expect(lines.find((line) => line.startsWith('longest'))).toMatch(/maximum ≤ 10\.0 ms +no$/);
  });

  it('shows the duration of an fsync with durable figures, and not with others', () => {
    expect(formatReport(report)).toContain('fdatasync of 4 KiB 0.20 ms (0.10 to 3.00)');
    expect(formatReport({ ...report, fsync: null })).not.toContain('fdatasync');
  });
});

describe('figures of the page', () => {
  const page = 'Before.\n<!-- figures: start -->\nold\n<!-- end -->\nAfter.\n<!-- figures: filters -->\n<!-- end -->\n';

  it('replaces only the figures of this benchmark', () => {
    const written = writeFigures(page, report);
    expect(written).toMatch(/^Before\.\n<!-- figures: start -->\n3 rounds, 2 cores/);
    expect(written).not.toContain('old');
    expect(written).toContain('| missed | 0.39× | 0.30× | 0.50× | ≥ 0.40× (stretch 0.50×) | no |');
    expect(written).toMatch(/<!-- end -->\nAfter\.\n<!-- figures: filters -->\n<!-- end -->\n$/);
    expect(writeFigures(written, report)).toBe(written);
  });

  it('shows the rows with a target and the published ones, and no table without rows', () => {
    const [published = ''] = PUBLISHED.start!;
    const rows = [row(published, 'ms', [1]), row('a detail', 'ms', [1])];
    const details = { title: 'Details', notes: [], rows: [row('another detail', 'ms', [1])] };
    const written = writeFigures(page, { ...report, tables: [{ title: 'Start', notes: [], rows }, details] });
    expect(written).toContain(`| ${published} |`);
    expect(written).not.toContain('detail');
    expect(written).not.toContain('Details');
  });

  it('fails if the page has no place for them', () => {
    expect(() => writeFigures('nothing', report)).toThrow('the page has no <!-- figures: start -->');
  });
});

describe('options of a benchmark', () => {
  const defaults = { rounds: 5, seconds: 3 };

  it('has the defaults of the benchmark, and smaller ones with --quick', () => {
    expect(parseOptions([], { defaults })).toMatchObject({ rounds: 5, seconds: 3, isQuick: false, isJson: false });
    expect(parseOptions(['--quick', '--json'], { defaults })).toMatchObject({ rounds: 1, isQuick: true, isJson: true });
    expect(parseOptions(['--rounds', '9'], { defaults }).rounds).toBe(9);
  });

  it.each(['x', '0', '-1'])('rejects %s rounds', (text) => {
    expect(() => parseOptions([`--rounds=${text}`], { defaults })).toThrow('use a positive number');
  });
});
