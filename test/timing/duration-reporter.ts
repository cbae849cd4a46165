import type { Reporter, TestModule } from 'vitest/node';
import { type Durations, nameFile, readDurations, writeDurations } from './durations.ts';

const SHOWN = 10;

/** Prints the slowest test files of a run; with `DOCKBELL_DURATIONS=write` it also renews the committed table, and adds to it with `add`. */
export default class DurationReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const known = readDurations();
    const measured = modules
      .map((module) => ({
        name: nameFile(module.moduleId),
        seconds: measureSeconds(module),
        processorSeconds: module.meta().processorSeconds ?? 0,
      }))
      .sort((a, b) => b.seconds - a.seconds);
    if (measured.length > SHOWN) {
      console.log(
        `\n The ${SHOWN} slowest of ${measured.length} test files (seconds, those of the committed table, processor seconds):`,
      );
      for (const { name, seconds, processorSeconds } of measured.slice(0, SHOWN)) {
        const columns = [seconds, known[name], processorSeconds].map((one) => (one?.toFixed(1) ?? '-').padStart(8));
        console.log(`${columns.join('')}  ${name}`);
      }
      console.log(` Processor seconds of all test files: ${total(measured).toFixed(0)}`);
    }
    const mode = process.env.DOCKBELL_DURATIONS;
    if (mode === undefined) return;
    const table: Durations = mode === 'add' ? { ...known } : {};
    for (const { name, seconds } of measured) table[name] = Number(Math.max(seconds, table[name] ?? 0).toFixed(1));
    writeDurations(table);
  }
}

function total(measured: readonly { processorSeconds: number }[]): number {
  return measured.reduce((sum, { processorSeconds }) => sum + processorSeconds, 0);
}

/** Imports and tests of one file; not the start of its worker. */
function measureSeconds(module: TestModule): number {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return (collectDuration + setupDuration + duration) / 1000;
}
