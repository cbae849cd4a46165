import type { RunLogWriter } from '../../../../domain/ports/runs/executor.ts';
import type { LogOrigin, RunLogParts } from '../../../../domain/ports/runs/run-log-parts.ts';
import type { Run } from '../../../../domain/resources/run.ts';
import type { Clock } from '../../../../domain/time/clock.ts';
import { limitOutput } from '../log-sink.ts';
import { renderAttemptMark } from '../run-log.ts';

/** Appends to logs in the storage that several daemons share, at most `LOG_LIMIT_BYTES` in all. */
export function createSharedLogWriter(
  parts: Pick<RunLogParts, 'append' | 'received' | 'size'>,
  clock: Clock,
): RunLogWriter {
  /** Resolves with the size of the log before the text. */
  const append = async ({ id: run, attempt }: Run, origin: LogOrigin, text: string, position: number | null) => {
    const size = (await parts.size(run)) ?? 0;
    const bytes = limitOutput(Buffer.from(text), size);
    if (bytes.length === 0) return size;
    const times = [{ offset: 0, atMs: clock.wallMs() }];
    const appended = await parts.append({ run, attempt, origin, bytes, after: null, position, times });
    return appended.outcome === 'appended' ? appended.offset : size;
  };
  return {
    begin: async (run) => (run.attempt === 1 ? 0 : append(run, 'daemon', renderAttemptMark(run, clock), null)),
    append: async (run, text, position) => {
      await append(run, position === undefined ? 'daemon' : 'holder', text, position ?? null);
    },
    received: ({ id: run, attempt }) => parts.received({ run, attempt, origin: 'holder' }),
  };
}
