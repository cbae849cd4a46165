import { readdir } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { systemErrorCode } from '../core/errors.ts';
import { readProcessStat } from './process-stat.ts';

const FIRST_LOOK_MS = 10;
const LAST_LOOK_MS = 250;
/** A killed process is gone at once, but for the time it takes to be reaped or to leave the kernel. */
const KILL_TAKES_MS = 1000;

/** Signals every member; signal 0 only asks. `false` where no member is left. */
export function signalGroup(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-id, signal);
    return true;
  } catch (error) {
    // EPERM: members are there, under another user; they are beyond our reach.
    if (systemErrorCode(error) === 'EPERM') return true;
    if (systemErrorCode(error) === 'ESRCH') return false;
    throw error;
  }
}

/**
 * Waits until the group has no living member left, at most so long; `true` where that came. The kernel tells nobody about
 * the end of grandchildren, so this looks again and again. The first look that finds nobody must be the last: from then
 * on the number may be given to a stranger.
 */
export async function waitForGroupEnd(id: number, withinMs: number): Promise<boolean> {
  if (!signalGroup(id, 0)) return true;
  const until = performance.now() + withinMs;
  // Most that is still there now has ended and is about to be reaped: the dear look comes after a moment.
  await wait(Math.min(FIRST_LOOK_MS, withinMs));
  let pauseMs = FIRST_LOOK_MS;
  while (await hasLivingMember(id)) {
    const leftMs = until - performance.now();
    if (leftMs <= 0) return false;
    await wait(Math.min(pauseMs, leftMs));
    pauseMs = Math.min(pauseMs * 2, LAST_LOOK_MS);
  }
  return true;
}

/**
 * Members that have ended but that nobody has reaped yet (in a container whose first process does not, for ever) answer
 * signals like living ones. Where the system lists its processes, only those are counted that still run.
 */
async function hasLivingMember(id: number): Promise<boolean> {
  if (!signalGroup(id, 0)) return false;
  const processes = await readdir('/proc').catch(() => null);
  if (processes === null) return true;
  const living = await Promise.all(processes.filter((name) => /^\d+$/.test(name)).map((pid) => livesInGroup(pid, id)));
  return living.includes(true);
}

async function livesInGroup(pid: string, group: number): Promise<boolean> {
  const stat = await readProcessStat(pid);
  return stat !== null && stat.group === group && stat.state !== 'Z' && stat.state !== 'X';
}

/** Ends what is left of a group: SIGTERM, then SIGKILL for what is still there after the grace period. */
export async function endGroup(id: number, graceMs: number): Promise<void> {
  if (!signalGroup(id, 'SIGTERM')) return;
  await killAfter(id, graceMs);
}

/** SIGKILL for what is still there after the grace period. */
export async function killAfter(id: number, graceMs: number): Promise<void> {
  if (await waitForGroupEnd(id, graceMs)) return;
  if (signalGroup(id, 'SIGKILL')) await waitForGroupEnd(id, KILL_TAKES_MS);
}
