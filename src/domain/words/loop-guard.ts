import { countOf } from './count-of.ts';
import { writeDuration } from './duration.ts';

/** The limit of the loop guard: at most this number of runs of one automation for one subject within this time. */
export interface LoopGuardLimit {
  runs: number;
  windowMs: number;
}

/** The limit if the configuration sets no other one. Alerts about the guard end after this time. */
export const LOOP_GUARD = { runs: 10, windowMs: 10 * 60_000 } as const satisfies LoopGuardLimit;

/**
 * Why a delivery did not start an automation, as the end of a sentence.
 *
 * @param subject as `DeliveryOffer.subject`
 */
export function explainLoopGuard(subject: string, { runs, windowMs }: LoopGuardLimit = LOOP_GUARD): string {
  return `it has had ${countOf(runs, 'run')} for ${describeSubject(subject)} within ${describeWindow(windowMs)}, the limit of the loop guard`;
}

function describeWindow(windowMs: number): string {
  return windowMs % 60_000 === 0 ? countOf(windowMs / 60_000, 'minute') : writeDuration(windowMs);
}

/** For people, for example `github acme/shop 12`. */
export function describeSubject(subject: string): string {
  try {
    const parts = JSON.parse(subject) as (string | number | null)[];
    return parts.filter((part) => part !== null).join(' ');
  } catch {
    return 'one subject';
  }
}
