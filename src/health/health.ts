import { messageOf } from '../core/errors.ts';
import type { Storage } from '../core/ports/storage.ts';

/** Is the daemon fit to serve, and if not, why? */
export interface Health {
  /** `warnings`: what somebody has to look at, although deliveries are accepted. */
  ready(): Promise<{ ready: boolean; problems: string[]; warnings: string[] }>;
  /** From now on not ready, for this reason. */
  fail(problem: string): void;
}

/** Ready: nothing failed permanently and the storage responds. Definitions were made live before anything listens. */
export function createHealth(storage: Storage, listWarnings: () => string[]): Health {
  const failures: string[] = [];
  return {
    ready: async () => {
      const problems = [...failures, ...(await findStorageProblems(storage))];
      return { ready: problems.length === 0, problems, warnings: listWarnings() };
    },
    fail: (problem) => failures.push(problem),
  };
}

async function findStorageProblems(storage: Storage): Promise<string[]> {
  try {
    await storage.deliveryLog.record([]);
    return [];
  } catch (error) {
    return [`the storage cannot be written: ${messageOf(error)}`];
  }
}
