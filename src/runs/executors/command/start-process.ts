import { type ChildProcess, spawn } from 'node:child_process';
import type { ChildEnvironment } from './run-environment.ts';
import type { RunUser } from './run-user.ts';

/** How the first process of a group ended. */
export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process that leads a separate group, so that it and its children can be signalled together. */
export interface ProcessGroup {
  /** Number of the group: the process ID of its leader. */
  id: number;
  /** Resolves when the leader has ended. */
  exited: Promise<ProcessExit>;
}

export interface ProcessStart {
  command: readonly string[];
  cwd: string;
  environment: ChildEnvironment;
  /** User of the process, without supplementary groups; `null` for the user of this process. */
  user: RunUser | null;
  /** File descriptors that become standard input, and standard output and error. */
  input: number;
  output: number;
}

/** Starts a process in a separate group and session, without a shell. Rejects with the system error. */
export async function startProcessGroup(start: ProcessStart): Promise<ProcessGroup> {
  const [file, ...rest] = start.command;
  const child = spawn(file!, rest, {
    cwd: start.cwd,
    env: start.environment,
    stdio: [start.input, start.output, start.output],
    detached: true,
    // With a user, libuv also drops all supplementary groups.
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
