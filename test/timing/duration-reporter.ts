import type { Reporter, TestModule } from 'vitest/node';
import { nameFile, readDurations, writeDurations } from './durations.ts';

const SHOWN = 10;

/** Prints the slowest test files of a run; with `DOCKBELL_DURATIONS=write` it also renews the committed table. */
export default class DurationReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const known = readDurations();
    const measured = modules
      .map((module) => ({ name: nameFile(module.moduleId), seconds: measureSeconds(module) }))
      .sort((a, b) => b.seconds - a.seconds);
    if (measured.length > SHOWN) {
      console.log(
        `\n The ${SHOWN} slowest of ${measured.length} test files (seconds, then those of the committed table):`,
      );
      for (const { name, seconds } of measured.slice(0, SHOWN)) {
        console.log(`${seconds.toFixed(1).padStart(8)} ${(known[name]?.toFixed(1) ?? '-').padStart(7)}  ${name}`);
      }
    }
    if (process.env.DOCKBELL_DURATIONS === 'write') {
      writeDurations(Object.fromEntries(measured.map(({ name, seconds }) => [name, Number(seconds.toFixed(1))])));
    }
  }
}

/** Imports and tests of one file; not the start of its worker. */
function measureSeconds(module: TestModule): number {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return (collectDuration + setupDuration + duration) / 1000;
}
