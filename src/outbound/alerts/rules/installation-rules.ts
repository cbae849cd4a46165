import { waitsForFirstSecret } from '../../../domain/applies/reconciliation.ts';
import { formatInstant } from '../../../domain/time/clock.ts';
import { describeFailures } from '../../../domain/words/notices.ts';
import { formatSize } from '../../../domain/words/quantities.ts';
import { type Examiner, type Finding, MAX_FINDINGS } from './finding.ts';

/** A factory whose last revision was not applied. One that waits for its first secret is a task of an owner. */
export const APPLY_FAILED: Examiner<true> = {
  scope: 'all',
  find: async ({ factories }) =>
    (await factories()).flatMap(({ name, conditions }) => {
      const failed = conditions.find(({ type, status }) => type === 'Reconciled' && status === 'False');
      if (failed === undefined || waitsForFirstSecret(conditions)) return [];
      const summary = `The last revision was not applied (${failed.reason}): ${failed.message}`;
      return [{ factory: name, object: null, objectId: null, summary }];
    }),
};

/** Requests through `baseUrl` do not arrive. */
export const PROBE: Examiner<number> = {
  scope: 'all',
  find: async ({ probeProblem }) => aboutInstallation(probeProblem()),
};

/** A factory that cannot report to a git host or receiver. A restart does not know since when, so an open alert stays open. */
export const NOTIFY_FAILING: Examiner<number> = {
  scope: 'factory',
  onChange: false,
  find: async ({ notifyFailures, isActive, nowMs }, thresholdMs, factory) => {
    const isOpen = isActive('notifyFailing', factory);
    const failed = notifyFailures(factory).filter(({ since }) => isOpen || nowMs() - since >= thresholdMs);
    if (failed.length === 0) return [];
    return [{ factory, object: null, objectId: null, summary: `${describeFailures(failed)}.` }];
  },
};

/** A disk with little free space. */
export const DISK: Examiner<number> = {
  scope: 'all',
  find: async ({ disks }, percent) => {
    const short = (await disks()).filter(({ freeBytes, totalBytes }) => freeBytes * 100 < totalBytes * percent);
    const described = short.map(
      ({ folder, freeBytes, totalBytes }) => `${formatSize(freeBytes)} of ${formatSize(totalBytes)} at ${folder}`,
    );
    return aboutInstallation(described.length === 0 ? null : `Little space is free: ${described.join('; ')}.`);
  },
};

/** A scheduled backup failed or is late. */
export const BACKUP_OVERDUE: Examiner<true> = {
  scope: 'all',
  find: async ({ backupProblem }) => aboutInstallation(backupProblem()),
};

/** An API token that expires soon. */
export const TOKEN_EXPIRING: Examiner<number> = {
  scope: 'all',
  find: async ({ reader, nowMs }, noticeMs) => {
    const from = nowMs();
    const tokens = await reader.expiringTokens({ from, until: from + noticeMs, limit: MAX_FINDINGS });
    return tokens.map(({ id, name, expiresAt }) => ({
      factory: null,
      object: name,
      objectId: id,
      summary: `The API token expires at ${formatInstant(expiresAt)}.`,
    }));
  },
};

function aboutInstallation(problem: string | null): Finding[] {
  return problem === null ? [] : [{ factory: null, object: null, objectId: null, summary: problem }];
}
