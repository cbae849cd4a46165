const endings: (() => unknown)[] = [];

/** Stops something when the test file ends. Test files share a process, so it would disturb later files. */
export function deferToFileEnd(ending: () => unknown): void {
  endings.push(ending);
}

/** Called after each test file (`after-each-file.ts`). Runs every ending, the latest first, and throws the first failure. */
export async function endFile(): Promise<void> {
  const failures: unknown[] = [];
  for (const ending of endings.splice(0).reverse()) {
    try {
      await ending();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
