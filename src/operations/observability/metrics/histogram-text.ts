import type { Histogram } from '../../../domain/telemetry/histogram.ts';

/** A histogram of one set of labels. */
export interface LabelledHistogram {
  /** As in the text format, without braces: `factory="payments"`; empty for none. Use `formatLabels`. */
  labels: string;
  histogram: Histogram;
}

/** Values of labels, in their order. */
export function formatLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeValue(value)}"`)
    .join(',');
}

/**
 * A metric family of histograms in the Prometheus text format. The histograms of prom-client cost too much for the path of a
 * delivery, and too much for each scrape of many automations.
 */
export function renderHistograms(name: string, help: string, histograms: Iterable<LabelledHistogram>): string {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
  for (const { labels, histogram } of histograms) {
    const { upTo, count, sum } = histogram.read();
    const separator = labels === '' ? '' : ',';
    const braced = labels === '' ? '' : `{${labels}}`;
    for (const [bucket, bound] of histogram.bounds.entries())
      lines.push(`${name}_bucket{${labels}${separator}le="${bound}"} ${upTo[bucket]}`);
    lines.push(`${name}_bucket{${labels}${separator}le="+Inf"} ${count}`);
    lines.push(`${name}_sum${braced} ${sum}`, `${name}_count${braced} ${count}`);
  }
  return `${lines.join('\n')}\n`;
}

function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
