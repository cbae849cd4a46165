import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { nameFile, readDurations } from './durations.ts';

/**
 * Starts the slowest files first, so that none of them runs alone at the end while a core is idle. A file that is not in
 * the table yet counts as slow. Files that need a process of their own come before all others: Vitest ends a process that
 * files share as soon as the next file in the list may not run in it.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const durations = readDurations();
    const secondsOf = ({ moduleId }: TestSpecification) => durations[nameFile(moduleId)] ?? Number.POSITIVE_INFINITY;
    const order = (a: TestSpecification, b: TestSpecification) => compare(secondsOf(b), secondsOf(a));
    const [isolated = [], sharing = []] = [true, false].map((isolate) =>
      specs.filter(({ project }) => project.config.isolate === isolate),
    );
    return [...isolated.toSorted(order), ...sharing.toSorted(order)];
  }
}

/** Subtracting would give NaN for two files that are not in the table. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}
