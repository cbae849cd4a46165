import { useEffect, useRef, useState } from 'react';
import { type LogSource, readRunLog } from '../../api/runs.ts';
import { type LogBlock, LogLines } from './log/log-lines.ts';

const RANGE_BYTES = 1_048_576;
const POLL_MS = 1_000;

interface RunLogState {
  blocks: readonly LogBlock[];
  /** The existing output was read at least once. */
  isRead: boolean;
  error: unknown;
}

const UNREAD: RunLogState = { blocks: [], isRead: false, error: null };

/**
 * Reads the output of a run every second until the run has finished. A retry appends to the same log. The output of
 * another source needs another component.
 */
export function useRunLog({ id, attempt }: LogSource, hasEnded: boolean): RunLogState & { retry: () => void } {
  const [state, setState] = useState(UNREAD);
  const [reads, setReads] = useState(0);
  const reader = useRef({ log: new LogLines(), offset: 0 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another read restarts the effect
  useEffect(() => {
    let isStopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const { current } = reader;
    const follow = async () => {
      try {
        for (;;) {
          const bytes = await readRunLog({ id, attempt }, current.offset, RANGE_BYTES);
          if (isStopped) return;
          current.offset += bytes.length;
          current.log.append(bytes);
          if (bytes.length > 0) setState({ blocks: current.log.blocks, isRead: true, error: null });
          if (bytes.length < RANGE_BYTES) break;
        }
        setState((before) =>
          before.isRead && before.error === null ? before : { ...before, isRead: true, error: null },
        );
        if (!hasEnded) timer = setTimeout(follow, POLL_MS);
      } catch (error) {
        if (!isStopped) setState({ blocks: current.log.blocks, isRead: true, error });
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
