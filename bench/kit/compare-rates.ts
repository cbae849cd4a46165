/** Calls per second of processor time, one sample for each round. */
export interface Rates {
  subject: number[];
  baseline: number[];
}

const WARM_UP_ROUNDS = 2;
/** Calls between two readings of the clock. */
const CALLS = 16;

/** Measures two functions in turns after a warm-up. Processor time, so that other programs affect neither of the two. */
export function compareRates(
  { subject, baseline }: { subject: () => void; baseline: () => void },
  rounds: number,
  measuredMs: number,
): Rates {
  const rates: Rates = { subject: [], baseline: [] };
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    const [ours, theirs] = [rateOf(subject, measuredMs), rateOf(baseline, measuredMs)];
    if (round < 0) continue;
    rates.subject.push(ours);
    rates.baseline.push(theirs);
  }
  return rates;
}

function rateOf(act: () => void, measuredMs: number): number {
  const begun = process.cpuUsage();
  let calls = 0;
  let passedMs = 0;
  while (passedMs < measuredMs) {
    for (let i = 0; i < CALLS; i++) act();
    calls += CALLS;
    const { user, system } = process.cpuUsage(begun);
    passedMs = (user + system) / 1_000;
  }
  return (calls * 1_000) / passedMs;
}
