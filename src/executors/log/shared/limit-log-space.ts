import type { RunId } from '../../../core/ids.ts';
import type { RunLogParts } from '../../../core/ports/runs/run-log-parts.ts';
import { type Clock, formatInstant } from '../../../core/time/clock.ts';

/** Longer than the line that replaces a log. */
const MAX_NOTICE_BYTES = 256;
/** Runs that are looked up in one query. */
const PIECE_RUNS = 100;

export interface LogSpaceParts {
  parts: Pick<RunLogParts, 'totalBytes' | 'oldestEnded' | 'append'>;
  remove(run: RunId): Promise<void>;
  clock: Clock;
}

export interface LogSpaceLimit {
  limitBytes: number;
  /** Called between runs: does the work have to end early? */
  isStopped(): boolean;
}

/**
 * Removes the logs of the oldest ended runs until all logs fit into `limitBytes`. A line with the reason replaces each log.
 * Resolves with what was removed.
 */
export async function limitLogSpace(
  { parts, remove, clock }: LogSpaceParts,
  { limitBytes, isStopped }: LogSpaceLimit,
): Promise<{ runs: number; bytes: number }> {
  const freed = { runs: 0, bytes: 0 };
  const over = (await parts.totalBytes()) - limitBytes;
  while (freed.bytes < over) {
    const oldest = await parts.oldestEnded({ minBytes: MAX_NOTICE_BYTES, limit: PIECE_RUNS });
    for (const { run, attempt, bytes } of oldest) {
      if (freed.bytes >= over || isStopped()) return freed;
      await remove(run);
      await parts.append({ run, attempt, origin: 'daemon', ...renderNotice(clock), after: null, position: null });
      freed.runs += 1;
      freed.bytes += bytes;
    }
    if (oldest.length < PIECE_RUNS) break;
  }
  return freed;
}

function renderNotice(clock: Clock) {
  const atMs = clock.wallMs();
  const text = `[dockbell: the log of this run was removed at ${formatInstant(atMs)} to make room, see retention.runBytes]\n`;
  return { bytes: Buffer.from(text), times: [{ offset: 0, atMs }] };
}
