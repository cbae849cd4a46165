import type { RunLogReader } from '../../../core/ports/runs/executor.ts';
import type { LogPart, RunLogParts } from '../../../core/ports/runs/run-log-parts.ts';
import { checkRunId } from '../../files/run-paths.ts';

/**
 * Reads logs from the storage that several daemons share. Throws `bad_request` for a malformed run ID.
 *
 * @param earlier reads the logs that the storage does not have
 */
export function createSharedLogReader(
  parts: Pick<RunLogParts, 'read' | 'times' | 'size'>,
  earlier: RunLogReader,
): RunLogReader {
  const isEarlier = async (run: string) => (await parts.size(checkRunId(run))) === null;
  return {
    read: async (run, offset, limit) => {
      const found = await parts.read({ run: checkRunId(run), offset, limit });
      if (found.length === 0 && (await isEarlier(run))) return earlier.read(run, offset, limit);
      return cutBytes(found, offset, limit);
    },
    times: async (run, offset, limit) => {
      const times = await parts.times({ run: checkRunId(run), offset, limit });
      return times.length === 0 && (await isEarlier(run)) ? earlier.times(run, offset, limit) : times;
    },
  };
}

/** The parts follow each other without gaps. */
function cutBytes(parts: readonly LogPart[], offset: number, limit: number): Uint8Array {
  const [first] = parts;
  if (first === undefined) return new Uint8Array();
  const from = offset - first.offset;
  return Buffer.concat(parts.map(({ bytes }) => bytes!)).subarray(from, from + limit);
}
