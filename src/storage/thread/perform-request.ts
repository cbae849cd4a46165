import { actFor } from '../../domain/access/change-record.ts';
import type { Storage } from '../../domain/ports/storage.ts';
import { isPacked, unpack } from '../../platform/threads/packed.ts';
import { performCall } from '../../platform/threads/port-client.ts';
import { type PackedBatch, packOutcomes, unpackBatch } from './packed-batch.ts';
import type { StorageRequest } from './worker-protocol.ts';

/** Performs the operation that another thread requested, and returns its result as that thread expects it. */
export async function performRequest(storage: Storage, request: StorageRequest): Promise<unknown> {
  if (request.port === 'deliveryLog') {
    return packOutcomes(await storage.deliveryLog.record(unpackBatch(request.args[0] as PackedBatch)));
  }
  const args = request.args.map((arg) => (isPacked(arg) ? unpack(arg) : arg));
  const { record = null } = request;
  return actFor({ record: () => record, noteStored: () => undefined }, () =>
    performCall(storage, { ...request, args }),
  );
}
