import { once } from 'node:events';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Run } from '../../../domain/resources/run.ts';
import type { Clock } from '../../../domain/time/clock.ts';
import { createLogSink, LOG_LIMIT_BYTES } from '../log/log-sink.ts';
import type { OpenAttemptOutput } from '../log/open-run-log.ts';
import { renderAttemptMark } from '../log/run-log.ts';

export interface AttemptLogOptions {
  run: Run;
  openOutput: OpenAttemptOutput;
  mask: Transform;
  clock: Clock;
  /** Called if the log cannot be written. The rest of the output is discarded. */
  onFailure(error: unknown): void;
}

/** The log of one attempt: mask, limit, file. It stays unchanged if nothing is written. */
export interface AttemptLog {
  /** As `OpenLog.offset`. */
  offset: number | null;
  /** Never rejects. */
  write(bytes: Uint8Array | string): Promise<void>;
  /** Resolves when everything is on disk. Never rejects. */
  close(): Promise<void>;
}

export async function openAttemptLog({
  run,
  openOutput,
  mask,
  clock,
  onFailure,
}: AttemptLogOptions): Promise<AttemptLog> {
  const log = await openOutput(run);
  let written: Promise<void> | null = null;
  const begin = () => {
    const sink = createLogSink(log, LOG_LIMIT_BYTES);
    sink.write(renderAttemptMark(run, clock));
    return pipeline(mask, sink).catch(onFailure);
  };
  return {
    offset: log.offset,
    write: async (bytes) => {
      written ??= begin();
      if (mask.destroyed || mask.write(bytes)) return;
      await Promise.race([once(mask, 'drain').catch(() => undefined), written]);
    },
    close: async () => {
      if (written === null) return log.close();
      mask.end();
      await written;
    },
  };
}
