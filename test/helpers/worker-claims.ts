import type { StartRecords } from '../../src/domain/ports/executor.ts';
import type { ClaimOrder, WorkerCaller } from '../../src/domain/ports/workers.ts';

/** A worker without labels, as one that states nothing about itself. */
export const callerNamed = (token: string, more: Partial<WorkerCaller> = {}): WorkerCaller => {
  const nothing = { id: null, labels: [], version: null, concurrency: null };
  return Object.assign({ token, name: token }, nothing, more);
};

/** A claim that does not wait. */
export function claimOrder(order: Partial<ClaimOrder> & { factories: readonly string[] }): ClaimOrder {
  const { signal } = new AbortController();
  const defaults = { limit: 1, worker: callerNamed('w'), waitMs: 0, signal, holding: null, withSecrets: false };
  return Object.assign({}, defaults, order);
}

/** Start records in memory. */
export function createMemoryRecords(): Pick<StartRecords, 'create' | 'exists'> {
  const records = new Set<string>();
  return {
    create: async (run, attempt) => {
      const isNew = !records.has(`${run}/${attempt}`);
      records.add(`${run}/${attempt}`);
      return isNew;
    },
    exists: async (run, attempt) => records.has(`${run}/${attempt}`),
  };
}

/** No secret exists. */
export const NO_SECRETS = { resolve: async () => ({ outcome: 'missing' }) as const };
