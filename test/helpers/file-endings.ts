import { Lifetime } from '../../src/app/lifetime.ts';

const lifetime = new Lifetime();

/** Stops something when the test file ends. Test files share a process, so it would disturb later files. */
export function deferToFileEnd(ending: () => unknown): void {
  lifetime.defer(ending);
}

/** Called after each test file (`after-each-file.ts`). */
export function endFile(): Promise<void> {
  return lifetime.end();
}
