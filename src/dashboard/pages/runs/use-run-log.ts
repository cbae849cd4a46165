import { useEffect, useRef, useState } from 'react';
import { readRunLog } from '../../api/runs.ts';
import { LogText } from './log-text.ts';

const RANGE_BYTES = 262_144;
const POLL_MS = 1_000;

interface RunLogState {
  blocks: readonly string[];
  /** The existing output was read at least once. */
  isRead: boolean;
  error: unknown;
}

const UNREAD: RunLogState = { blocks: [], isRead: false, error: null };

/**
 * Reads the output of a run every second until the run has finished. A retry appends to the same log.
 */
export function useRunLog(id: string, hasEnded: boolean): RunLogState & { retry: () => void } {
  const [state, setState] = useState(UNREAD);
  const [attempts, setAttempts] = useState(0);
  const reader = useRef({ text: new LogText(), offset: 0 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt restarts the effect
  useEffect(() => {
    let isStopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const { current } = reader;
    const follow = async () => {
      try {
        for (;;) {
          const bytes = await readRunLog(id, current.offset, RANGE_BYTES);
          if (isStopped) return;
          current.offset += bytes.length;
          current.text.append(bytes);
          if (bytes.length > 0) setState({ blocks: current.text.blocks, isRead: true, error: null });
          if (bytes.length < RANGE_BYTES) break;
        }
        setState({ blocks: current.text.blocks, isRead: true, error: null });
        if (!hasEnded) timer = setTimeout(follow, POLL_MS);
      } catch (error) {
        if (!isStopped) setState({ blocks: current.text.blocks, isRead: true, error });
      }
    };
    void follow();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }, [id, hasEnded, attempts]);
  return { ...state, retry: () => setAttempts(attempts + 1) };
}
