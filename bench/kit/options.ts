import { parseArgs } from 'node:util';
import type { Benchmark, BenchOptions } from './benchmark.ts';

/** What the command line of `npm run bench -- NAME` selects. */
export interface BenchCommand extends BenchOptions {
  isJson: boolean;
  /** Also write the tables to `docs/performance.md`. */
  isWritten: boolean;
}

export const OPTIONS_HELP = `Options:
  --rounds N     number of rounds; baseline and subject alternate within each
  --seconds N    duration of one measurement in a round
  --minutes N    duration of all measurements, instead of --rounds
  --baseline DIR for compare: another checkout of this repository that has been built
  --quick        smallest sizes, to see whether the benchmark works
  --write        also write the tables to docs/performance.md
  --json         print the figures and all samples as JSON
`;

const QUICK = { rounds: 1, seconds: 0.2 };

/** Throws with a usage message on an unknown option or a value that is not a positive number. */
export function parseOptions(args: string[], { defaults }: Pick<Benchmark, 'defaults'>): BenchCommand {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      minutes: { type: 'string' },
      baseline: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const usual = values.quick ? QUICK : defaults;
  const seconds = readNumber('seconds', values.seconds, usual.seconds);
  const minutes = values.minutes === undefined ? null : readNumber('minutes', values.minutes, 0);
  return {
    rounds: minutes === null ? readNumber('rounds', values.rounds, usual.rounds) : Math.ceil((minutes * 60) / seconds),
    seconds,
    baseline: values.baseline ?? null,
    isQuick: values.quick,
    isJson: values.json,
    isWritten: values.write,
  };
}

function readNumber(name: string, text: string | undefined, usual: number): number {
  const value = text === undefined ? usual : Number(text);
  if (!(value > 0)) throw new Error(`invalid --${name} ${JSON.stringify(text)}: use a positive number`);
  return value;
}
