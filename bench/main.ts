import { messageOf } from '../src/domain/errors.ts';
import type { Benchmark } from './kit/benchmark.ts';
import { describeMachine, measureFsync } from './kit/machine.ts';
import { type BenchName, isBenchName, NAMES } from './kit/names.ts';
import { OPTIONS_HELP, parseOptions } from './kit/options.ts';
import { formatReport } from './kit/report.ts';
import { writePage } from './kit/write-figures.ts';
import { runAll } from './run-all.ts';

/** `npm run bench -- NAME [OPTION ...]`, or `all` for all benchmarks and the tables of `docs/performance.md`. */
const [name, ...args] = process.argv.slice(2);
if (name === 'all') process.exitCode = await runAll(args);
else if (isBenchName(name)) await runBenchmark(name);
else {
  const list = NAMES.join(', ');
  process.stderr.write(`Usage: npm run bench -- NAME [OPTION ...], where NAME is all, ${list}.\n${OPTIONS_HELP}`);
  process.exitCode = 2;
}

async function runBenchmark(which: BenchName): Promise<void> {
  try {
    const { benchmark } = (await import(new URL(`${which}.ts`, import.meta.url).href)) as { benchmark: Benchmark };
    const options = parseOptions(args, benchmark);
    const fsync = benchmark.isDurable ? measureFsync() : null;
    const tables = await benchmark.run(options);
    const report = { name: which, rounds: options.rounds, machine: describeMachine(), fsync, tables };
    if (options.isWritten) writePage(report);
    process.stdout.write(options.isJson ? `${JSON.stringify(report, null, 2)}\n` : formatReport(report));
  } catch (error) {
    process.stderr.write(`bench ${which}: ${messageOf(error)}\n`);
    // Ends what the benchmark has started, and with it the waiting for it.
    process.exit(1);
  }
}
