import { type ChildProcess, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { systemErrorCode } from './file-error.ts';
import { readProcessStat } from './process-stat.ts';
import type { ChildEnvironment } from './run-environment.ts';
import type { RunUser } from './run-user.ts';

const FIRST_LOOK_MS = 10;
const LAST_LOOK_MS = 250;
/** A killed process is gone at once, but for the time it takes to be reaped or to leave the kernel. */
const KILL_TAKES_MS = 1000;

/** How the first process of a group ended. */
export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process that leads a group of its own, so that all it starts can be signalled together. */
export interface ProcessGroup {
  /** Number of the group, which is the process id of its leader. */
  id: number;
  /** Resolves when the leader has ended. */
  exited: Promise<ProcessExit>;
}

export interface ProcessStart {
  command: readonly string[];
  cwd: string;
  environment: ChildEnvironment;
  /** Who it runs as, without any further group; `null`: as this process. */
  user: RunUser | null;
  /** File descriptors that become standard input, and standard output and error. */
  input: number;
  output: number;
}

/** Starts a process in a group and session of its own, without a shell. Rejects with the system's error where it cannot. */
export async function startProcessGroup(start: ProcessStart): Promise<ProcessGroup> {
  const [file, ...rest] = start.command;
  const child = spawn(file!, rest, {
    cwd: start.cwd,
    env: start.environment,
    stdio: [start.input, start.output, start.output],
    detached: true,
    // With them, libuv also drops all supplementary groups.
    uid: start.user?.uid,
    gid: start.user?.gid,
    shell: false,
  });
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  await waitUntilStarted(child);
  return { id: child.pid!, exited };
}

function waitUntilStarted(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    // Not `once`: a later error must not become an uncaught one.
    child.on('error', reject);
  });
}

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
