import { AsyncLocalStorage } from 'node:async_hooks';
import type { ReservedKey } from '../ports/idempotency.ts';
import type { AuditedChange } from './audit.ts';

/** What the storage stores together with the first change of a request, in the same transaction. */
export interface ChangeRecord {
  /** Who makes the change. Its request has no answer yet. */
  audited: AuditedChange;
  /** The idempotency key, under which the change is not made again; `null` without one. */
  key: ReservedKey | null;
}

/** A request that may change something. */
export interface ChangingRequest {
  /** `null` if nothing has to be stored: it is stored already, or the request is answered. */
  record(): ChangeRecord | null;
  /** The record is stored. */
  noteStored(): void;
}

const requests = new AsyncLocalStorage<ChangingRequest>();

/** Everything that `act` changes in the storage, also later, is a change of this request. */
export function actFor<Result>(request: ChangingRequest, act: () => Result): Result {
  return requests.run(request, act);
}

/** Performs a change with the record that must be stored with it. If it fails, the next change has the record. */
export async function changeWithRecord<Result>(
  change: (record: ChangeRecord | null) => Promise<Result>,
): Promise<Result> {
  const request = requests.getStore();
  const record = request?.record() ?? null;
  const result = await change(record);
  if (record !== null) request!.noteStored();
  return result;
}
