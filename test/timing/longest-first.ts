import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { nameFile, readDurations } from './durations.ts';

/**
 * One project after another, as Vitest ends a process that files share as soon as the next file in the list may not run in
 * it. In each project the slowest files first, so that none of them runs alone at the end while a core is idle.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const durations = readDurations();
    const secondsOf = ({ moduleId }: TestSpecification) => durations[nameFile(moduleId)] ?? 0;
    return this.ctx.projects.flatMap((project) =>
      specs.filter((spec) => spec.project === project).toSorted((a, b) => secondsOf(b) - secondsOf(a)),
    );
  }
}
