import { messageOf } from '../src/core/errors.ts';
import type { Benchmark } from './kit/benchmark.ts';
import { describeMachine, measureFsync } from './kit/machine.ts';
import { OPTIONS_HELP, parseOptions } from './kit/options.ts';
import { formatReport } from './kit/report.ts';

/** `npm run bench -- NAME [OPTION ...]`: each benchmark is a file in this folder. */
const NAMES = [
  'backtest',
  'dashboard',
  'definitions',
  'filters',
  'ingress',
  'reconcile',
  'retention',
  'signatures',
  'start',
];

const [name, ...args] = process.argv.slice(2);
if (name === undefined || !NAMES.includes(name)) {
  const list = NAMES.join(', ');
  process.stderr.write(`Usage: npm run bench -- NAME [OPTION ...], where NAME is one of ${list}.\n${OPTIONS_HELP}`);
  process.exitCode = 2;
} else {
  await runBenchmark(name);
}

async function runBenchmark(which: string): Promise<void> {
  try {
    process.argv.splice(2, 1);
    const { benchmark } = (await import(new URL(`${which}.ts`, import.meta.url).href)) as { benchmark?: Benchmark };
    if (benchmark === undefined) return;
    const options = parseOptions(args, benchmark);
    const fsync = benchmark.isDurable ? measureFsync() : null;
    const tables = await benchmark.run(options);
    const report = { name: which, rounds: options.rounds, machine: describeMachine(), fsync, tables };
    process.stdout.write(options.isJson ? `${JSON.stringify(report, null, 2)}\n` : formatReport(report));
  } catch (error) {
    process.stderr.write(`bench ${which}: ${messageOf(error)}\n`);
    // Ends what the benchmark has started, and with it the waiting for it.
    process.exit(1);
  }
}
