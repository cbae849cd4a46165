import type { ConditionState } from '../../reconcile/conditions.ts';

/** Another process holds the write lock of the database. */
export interface WatchedLock {
  readonly isForeign: boolean;
}

export function describeDatabaseLock({ isForeign }: WatchedLock): ConditionState | null {
  if (!isForeign) return null;
  return {
    type: 'DatabaseLocked',
    status: 'True',
    reason: 'LockedByAnotherProcess',
    message:
      'the database is locked by another process: nothing can be stored, so senders get 503, and lists may lack the last ' +
      'deliveries. End the program that has opened the database for writing, for example sqlite3',
  };
}
