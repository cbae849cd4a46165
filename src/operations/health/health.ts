// The room of what operators need. Each folder answers a question, and builds on no state of another one. This one: is the
// daemon ready, and which conditions hold (`live-conditions.ts`)? `operations/story/compose-story.ts`: why is an object in its
// state? `operations/doctor/examine.ts`: is the installation sound? `operations/observability/metrics/metrics.ts`: how much?
// `operations/events/event-hub.ts`: what happens now?
// Others change something: `operations/backup/create-backups.ts`, `operations/housekeeping/housekeeping.ts`,
// `operations/maintenance/stopped-daemon.ts`, `operations/state/open-data-dir.ts`, `operations/systemd/service-notifier.ts`.
// In: ports and the parts of other rooms. Out: answers for the API, the log, systemd.

import { describeCondition } from '../../domain/conditions.ts';
import { messageOf } from '../../domain/errors.ts';
import type { Storage } from '../../domain/ports/storage.ts';
import type { Schedule } from '../../domain/time/schedule.ts';

/** Is the daemon fit to serve, and if not, why? */
export interface Health {
  /** `warnings`: what somebody has to look at, although deliveries are accepted. */
  ready(): Promise<{ ready: boolean; problems: string[]; warnings: string[] }>;
  /** From now on not ready, for this reason. */
  fail(problem: string): void;
}

/** Another process holds the write lock of the database. */
interface WatchedLock {
  readonly isForeign: boolean;
}

/** A probe waits for a second, so its answer says more than no answer. */
const ANSWER_MS = 800;

export interface HealthParts {
  storage: Pick<Storage, 'deliveryLog'>;
  databaseLock: WatchedLock;
  listWarnings(): string[];
  schedule: Schedule;
}

/** Ready: nothing failed permanently and the storage responds. Definitions were made live before anything listens. */
export function createHealth({ storage, databaseLock, listWarnings, schedule }: HealthParts): Health {
  const failures: string[] = [];
  let asking: Promise<string[]> | null = null;
  /** All that ask while the storage does not respond wait for the same answer. */
  const askStorage = () => {
    asking ??= findStorageProblems(storage).finally(() => {
      asking = null;
    });
    return answerWithin(asking, schedule);
  };
  return {
    ready: async () => {
      const { isForeign } = databaseLock;
      const found = isForeign ? [describeCondition('LockedByAnotherProcess').message] : await askStorage();
      const problems = [...failures, ...found];
      return { ready: problems.length === 0, problems, warnings: listWarnings() };
    },
    fail: (problem) => failures.push(problem),
  };
}

function answerWithin(asking: Promise<string[]>, schedule: Schedule): Promise<string[]> {
  return new Promise((resolve) => {
    const cancel = schedule(ANSWER_MS, () =>
      resolve([`the storage cannot be written: it did not respond within ${ANSWER_MS / 1000} seconds`]),
    );
    void asking.then((problems) => {
      cancel();
      resolve(problems);
    });
  });
}

async function findStorageProblems({ deliveryLog }: HealthParts['storage']): Promise<string[]> {
  try {
    await deliveryLog.record([]);
    return [];
  } catch (error) {
    return [`the storage cannot be written: ${messageOf(error)}`];
  }
}
