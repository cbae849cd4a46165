import { type CronProblem, describeProblem } from './cron-problem.ts';

const SECOND_NS = 1_000_000_000n;

const UNITS_NS: { readonly [unit: string]: bigint } = {
  h: 3600n * SECOND_NS,
  m: 60n * SECOND_NS,
  s: SECOND_NS,
  ms: 1_000_000n,
};

/** The longest interval: 100 years. */
const MAX_NS = 876_600n * 3600n * SECOND_NS;

const EXAMPLE = 'Write for example "@every 1h30m".';

/** Parses what follows `@every`: numbers with units, such as `1h`, `90s` or `1h30m`. At least one minute, in whole seconds. */
export function parseEvery(
  words: readonly string[],
):
  | { ok: true; pattern: { kind: 'every'; everyMs: number }; doubts: readonly [] }
  | { ok: false; problem: CronProblem } {
  const [text = '', ...more] = words;
  if (more.length > 0 || !/^(?:\d{1,9}(?:\.\d{1,9})?(?:h|ms|m|s))+$/.test(text)) {
    const given = JSON.stringify(words.join(' ').slice(0, 60));
    return describeProblem(`"@every" needs a duration, but is followed by ${given}.`, EXAMPLE);
  }
  // In units of 10^-9 ns, so that fractions are exact.
  let scaled = 0n;
  for (const [, whole, fraction = '', unit] of text.matchAll(/(\d+)(?:\.(\d+))?(h|ms|m|s)/g)) {
    scaled += BigInt(`${whole}${fraction.padEnd(9, '0')}`) * UNITS_NS[unit!]!;
  }
  const perSecond = SECOND_NS * 1_000_000_000n;
  if (scaled % perSecond !== 0n) {
    return describeProblem(
      'The duration of "@every" has a fraction of a second.',
      'Write a duration of whole seconds.',
    );
  }
  const seconds = scaled / perSecond;
  if (seconds < 60n)
    return describeProblem('The duration of "@every" is below one minute.', 'Write "@every 1m" or more.');
  if (seconds * SECOND_NS > MAX_NS) {
    return describeProblem('The duration of "@every" is longer than 100 years.', EXAMPLE);
  }
  return { ok: true, pattern: { kind: 'every', everyMs: Number(seconds) * 1000 }, doubts: [] };
}
