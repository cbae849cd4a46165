import { Lifetime } from '../../src/app/lifetime.ts';

const lifetime = new Lifetime();

/** Stops a part when the test file ends: test files share a process, so what keeps running would disturb later files. */
export function deferToFileEnd(ending: () => unknown): void {
  lifetime.defer(ending);
}

/** Called after each test file (`after-each-file.ts`). */
export function endFile(): Promise<void> {
  return lifetime.end();
}
