/** The loop guard: at most this number of runs of one automation for one subject within this time. */
export const LOOP_GUARD = { runs: 10, windowMs: 10 * 60_000 } as const;

const MINUTES = LOOP_GUARD.windowMs / 60_000;

/** Why a delivery did not start an automation, as the end of a sentence. @param subject as `DeliveryOffer.subject` */
export function explainLoopGuard(subject: string): string {
  return `it has had ${LOOP_GUARD.runs} runs for ${describeSubject(subject)} within ${MINUTES} minutes, the limit of the loop guard`;
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
