import type { SampleResult } from './sample-result.ts';

/** The samples of each webhook, in the order in which the webhooks come first. */
export function groupSamples(samples: readonly SampleResult[]): Map<string, SampleResult[]> {
  const groups = new Map<string, SampleResult[]>();
  for (const sample of samples) {
    const group = groups.get(sample.webhook);
    if (group === undefined) groups.set(sample.webhook, [sample]);
    else group.push(sample);
  }
  return groups;
}
