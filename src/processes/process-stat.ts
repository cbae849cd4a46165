import { readFile } from 'node:fs/promises';

/** What the system says about one process. */
export interface ProcessStat {
  /** One letter; `Z` and `X` have ended. */
  state: string;
  group: number;
}

/** Reads `/proc/<pid>/stat`; `null` where there is no such process (any more), or no `/proc`. */
export async function readProcessStat(pid: string): Promise<ProcessStat | null> {
  // `pid (name) state parent group …`, and the name may hold anything, brackets too.
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  if (text === null) return null;
  const [state = '', , group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state, group: Number(group) };
}
