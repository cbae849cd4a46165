import { useEffect, useState } from 'react';
import type { LogTime } from '../../../domain/words/log-times.ts';
import { createLogTimesReader, type LogSource, readRunLog } from '../../api/runs.ts';
import { type LogBlock, LogLines } from './log/log-lines.ts';

const RANGE_BYTES = 1_048_576;
const POLL_MS = 1_000;

interface RunLogState {
  blocks: readonly LogBlock[];
  /** When parts of the log were written. */
  times: readonly LogTime[];
  /** The existing output was read at least once. */
  isRead: boolean;
  error: unknown;
}

const UNREAD: RunLogState = { blocks: [], times: [], isRead: false, error: null };

/**
 * Reads the output of a run every second until the run has finished. A retry appends to the same log. The output of
 * another source needs another component.
 */
export function useRunLog({ id, attempt }: LogSource, hasEnded: boolean): RunLogState & { retry: () => void } {
  const [state, setState] = useState(UNREAD);
  const [reads, setReads] = useState(0);
  const [reader] = useState(() => ({
    log: new LogLines(),
    offset: 0,
    times: createLogTimesReader({ id, attempt }),
  }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another read restarts the effect
  useEffect(() => {
    let isStopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (error: unknown) =>
      setState({ blocks: reader.log.blocks, times: reader.times.times, isRead: true, error });
    const follow = async () => {
      try {
        for (;;) {
          const bytes = await readRunLog({ id, attempt }, reader.offset, RANGE_BYTES);
          if (isStopped) return;
          if (bytes.length > 0) await reader.times.update();
          if (isStopped) return;
          reader.offset += bytes.length;
          reader.log.append(bytes);
          if (bytes.length > 0) show(null);
          if (bytes.length < RANGE_BYTES) break;
        }
        setState((before) =>
          before.isRead && before.error === null ? before : { ...before, isRead: true, error: null },
        );
        if (!hasEnded) timer = setTimeout(follow, POLL_MS);
      } catch (error) {
        if (!isStopped) show(error);
      }
    };
    void follow();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }, [id, attempt, hasEnded, reads]);
  return { ...state, retry: () => setReads(reads + 1) };
}
