import { messageOf } from '../../../../domain/errors.ts';
import type { RunId } from '../../../../domain/ids.ts';
import type { RunLogParts } from '../../../../domain/ports/run-files.ts';
import { type Clock, formatInstant } from '../../../../domain/time/clock.ts';

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

export interface FreedLogSpace {
  /** Number of runs whose logs were removed. */
  runs: number;
  /** Size of these logs. */
  bytes: number;
  /** Runs whose logs cannot be removed, with the reason. */
  stuck: { run: RunId; problem: string }[];
}

/**
 * Removes the logs of the oldest ended runs until all logs fit into `limitBytes`. A line with the reason replaces each log.
 * A log that cannot be removed does not keep the others from being removed.
 */
export async function limitLogSpace(
  { parts, remove, clock }: LogSpaceParts,
  { limitBytes, isStopped }: LogSpaceLimit,
): Promise<FreedLogSpace> {
  const freed: FreedLogSpace = { runs: 0, bytes: 0, stuck: [] };
  const over = (await parts.totalBytes()) - limitBytes;
  const replace = async ({ run, attempt, bytes }: OldestLog) => {
    await remove(run);
    await parts.append({ run, attempt, origin: 'daemon', ...renderNotice(clock), after: null, position: null });
    freed.runs += 1;
    freed.bytes += bytes;
  };
  while (freed.bytes < over) {
    // Those that are stuck are found again.
    const limit = PIECE_RUNS + freed.stuck.length;
    const oldest = await parts.oldestEnded({ minBytes: MAX_NOTICE_BYTES, limit });
    for (const log of oldest.filter(({ run }) => freed.stuck.every((one) => one.run !== run))) {
      if (freed.bytes >= over || isStopped()) return freed;
      await replace(log).catch((error) => freed.stuck.push({ run: log.run, problem: messageOf(error) }));
    }
    if (oldest.length < limit) break;
  }
  return freed;
}

type OldestLog = Awaited<ReturnType<LogSpaceParts['parts']['oldestEnded']>>[number];

function renderNotice(clock: Clock) {
  const atMs = clock.wallMs();
  const text = `[dockbell: the log of this run was removed at ${formatInstant(atMs)} to make room, see retention.runBytes]\n`;
  return { bytes: Buffer.from(text), times: [{ offset: 0, atMs }] };
}
