import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { systemErrorCode } from '../../domain/errors.ts';

const FIRST_LOOK_MS = 10;
const LAST_LOOK_MS = 250;
/** SIGKILL takes effect immediately, but the process may still have to be reaped or leave the kernel. */
const KILL_TAKES_MS = 1000;

/** Sends a signal to every member of a process group; signal 0 only asks. Returns `false` if no member is left. */
export function signalGroup(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-id, signal);
    return true;
  } catch (error) {
    // EPERM: members exist, but run as another user that we may not signal.
    if (systemErrorCode(error) === 'EPERM') return true;
    if (systemErrorCode(error) === 'ESRCH') return false;
    throw error;
  }
}

/** Ends a group: SIGTERM, then SIGKILL for the members that are left after `graceMs`. */
export async function endGroup(id: number, graceMs: number): Promise<void> {
  if (!signalGroup(id, 'SIGTERM')) return;
  if (await waitForGroupEnd(id, graceMs)) return;
  if (signalGroup(id, 'SIGKILL')) await waitForGroupEnd(id, KILL_TAKES_MS);
}

/**
 * Waits until no member of the group runs, for at most `withinMs`. Resolves with `false` if members are left.
 *
 * The kernel does not report the end of grandchildren, so this polls. It stops at the first look that finds nobody: from
 * then on the kernel may give the number to an unrelated process.
 */
export async function waitForGroupEnd(id: number, withinMs: number): Promise<boolean> {
  if (!signalGroup(id, 0)) return true;
  const until = performance.now() + withinMs;
  // Remaining members are usually about to be reaped: wait a moment before the expensive scan of /proc.
  await wait(Math.min(FIRST_LOOK_MS, withinMs));
  let pauseMs = FIRST_LOOK_MS;
  while (await hasRunningMember(id)) {
    const leftMs = until - performance.now();
    if (leftMs <= 0) return false;
    await wait(Math.min(pauseMs, leftMs));
    pauseMs = Math.min(pauseMs * 2, LAST_LOOK_MS);
  }
  return true;
}

/**
 * Zombies answer signals like running processes, and a container without an init process never reaps them. If the system
 * has /proc, only processes that run count.
 */
async function hasRunningMember(id: number): Promise<boolean> {
  if (!signalGroup(id, 0)) return false;
  const names = await readdir('/proc').catch(() => null);
  if (names === null) return true;
  const pids = names.filter((name) => /^\d+$/.test(name));
  const members = await Promise.all(pids.map((pid) => isRunningMember(pid, id)));
  return members.includes(true);
}

async function isRunningMember(pid: string, group: number): Promise<boolean> {
  const stat = await readProcessStat(pid);
  return stat !== null && stat.group === group && stat.state !== 'Z' && stat.state !== 'X';
}

/** What the system reports about one process. */
interface ProcessStat {
  /** One letter; `Z` and `X` have ended. */
  state: string;
  group: number;
}

/** Reads `/proc/<pid>/stat`. Resolves with `null` if the process has ended or the system has no /proc. */
export async function readProcessStat(pid: string): Promise<ProcessStat | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  if (text === null) return null;
  // `pid (name) state parent group …`: the name may contain anything, including parentheses.
  const [state = '', , group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state, group: Number(group) };
}
