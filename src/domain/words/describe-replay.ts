import { countOf } from './count-of.ts';

/** The numbers of a replay or of its dry run, as answers show them. */
interface ReplayCounts {
  replayed: number;
  matched: number;
  runs: number;
}

/** What a dry run found: 3 deliveries would be replayed, and start 4 runs. */
export function describePreview({ replayed, runs }: ReplayCounts): string {
  if (replayed === 0) return 'No delivery would be replayed.';
  return `${countOf(replayed, 'delivery', 'deliveries')} would be replayed, and start ${countOf(runs, 'run')}.`;
}

/** What a replay has done until now. */
export function describeReplayed({ replayed, runs }: ReplayCounts): string {
  return `${countOf(replayed, 'delivery', 'deliveries')} replayed, ${countOf(runs, 'run')} started`;
}

/** What a dry run that stopped early says about the rest; `null` if it examined everything. */
export function describeUnexamined(preview: { examined: number; total: number; complete: boolean }): string | null {
  if (preview.complete) return null;
  return `The dry run examined the oldest ${preview.examined} of ${preview.total} deliveries. The replay examines all.`;
}
