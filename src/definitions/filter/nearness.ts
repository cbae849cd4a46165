import type { Nearness } from '../../domain/resources/delivery.ts';
import { EVENT_PATH, type TraceEntry } from './explain.ts';

/** Every condition of the filter held. */
export const FULL_MATCH: Nearness = { matched: true, held: 0, present: true };

/** How far a filter got that did not match. */
export function measureNearness(trace: readonly TraceEntry[]): Nearness {
  let held = 0;
  for (const [i, entry] of trace.entries()) {
    if (entry.matched) {
      // What a payload lacks cannot make it similar: "exists: false" holds for every other event.
      if (entry.operator !== 'object' && entry.present) held += 1;
    } else if (!isExplainedBelow(entry, trace[i + 1])) {
      return { matched: false, held, present: entry.present && entry.path !== EVENT_PATH };
    }
  }
  return FULL_MATCH;
}

/** An array whose elements do not match: the entries of the closest element follow. */
function isExplainedBelow({ path, operator }: TraceEntry, next: TraceEntry | undefined): boolean {
  return operator === 'object' && next?.path.startsWith(`${path}[`) === true;
}

/** Orders the nearest miss first: the most conditions that held, then those whose deciding key is present. */
export function compareNearness(a: Nearness, b: Nearness): number {
  return Number(b.matched) - Number(a.matched) || b.held - a.held || Number(b.present) - Number(a.present);
}
