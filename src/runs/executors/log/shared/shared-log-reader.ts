import { AppError } from '../../../../domain/errors.ts';
import type { RunId } from '../../../../domain/ids.ts';
import type { RunLogReader } from '../../../../domain/ports/executor.ts';
import type { LogPart, RunLogParts } from '../../../../domain/ports/run-files.ts';
import { checkRunId } from '../../files/run-paths.ts';
import { keyOfPart, type LogObjects } from './log-objects.ts';

export interface SharedReaderParts {
  parts: Pick<RunLogParts, 'read' | 'times' | 'size'>;
  /** `null` if no object store is configured. */
  objects: Pick<LogObjects, 'get'> | null;
  /** Reads the logs that the storage does not have. */
  earlier: RunLogReader;
}

/**
 * Reads logs from the storage that several daemons share. Throws `bad_request` for a malformed run ID, and
 * `storage_unavailable` if the object store does not have a part.
 */
export function createSharedLogReader({ parts, objects, earlier }: SharedReaderParts): RunLogReader {
  const isEarlier = async (run: RunId) => (await parts.size(run)) === null;
  return {
    read: async (run, offset, limit) => {
      const found = await parts.read({ run: checkRunId(run), offset, limit });
      if (found.length === 0 && (await isEarlier(run))) return earlier.read(run, offset, limit);
      return cutBytes(await Promise.all(found.map((part) => findBytes(run, part, objects))), offset, limit);
    },
    times: async (run, offset, limit) => {
      const times = await parts.times({ run: checkRunId(run), offset, limit });
      return times.length === 0 && (await isEarlier(run)) ? earlier.times(run, offset, limit) : times;
    },
  };
}

interface FoundPart {
  offset: number;
  bytes: Uint8Array;
}

async function findBytes(run: RunId, part: LogPart, objects: SharedReaderParts['objects']): Promise<FoundPart> {
  const { offset, size, bytes } = part;
  if (bytes !== null) return { offset, bytes };
  if (objects === null) {
    throw new AppError(
      'storage_unavailable',
      'This log is in an object store. Configure storage.s3 as it was to show it.',
    );
  }
  const key = keyOfPart(run, { offset, size });
  const stored = await objects.get(key);
  if (stored?.length === size) return { offset, bytes: stored };
  const state = stored === null ? 'is missing' : `has ${stored.length} bytes instead of ${size}`;
  throw new AppError('storage_unavailable', `The object ${key} of this log ${state} in the object store (storage.s3).`);
}

/** The parts follow each other without gaps. */
function cutBytes(parts: readonly FoundPart[], offset: number, limit: number): Uint8Array {
  const [first] = parts;
  if (first === undefined) return new Uint8Array();
  const from = offset - first.offset;
  return Buffer.concat(parts.map(({ bytes }) => bytes)).subarray(from, from + limit);
}
