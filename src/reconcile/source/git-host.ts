import { type ChildProcess, fork } from 'node:child_process';
import { type GitCommand, type GitOutcome, pickPassedOn, type RunGit } from './git-process.ts';

/** A message to the process that starts git. */
export type HostMessage = { id: number; command: Omit<GitCommand, 'signal'> } | { abort: number };

/** Its answer. */
export interface HostAnswer {
  id: number;
  outcome: GitOutcome;
}

/** A process whose only task is to start git. */
export interface GitHost {
  run: RunGit;
  /** Ends the process, and the git processes that it started. */
  close(): void;
}

/** A small heap: the process keeps nothing, and its memory is copied for each start of git. */
const SMALL_HEAP = ['--max-semi-space-size=1'];

/**
 * Starts git from a small process. To start a program, the system copies the page tables of the process that starts it.
 * For a daemon with a large factory that takes several milliseconds, in which no thread of the daemon can use new memory.
 *
 * @param entryUrl the built `git-host-process.js`
 */
export function startGitHost(entryUrl: URL): GitHost {
  const pending = new Map<number, (outcome: GitOutcome) => void>();
  let lastId = 0;
  let child: ChildProcess | null = null;
  const start = (): ChildProcess => {
    // Each command brings its variables.
    const started = fork(entryUrl, { serialization: 'advanced', execArgv: SMALL_HEAP, env: {} });
    started.unref();
    started.channel?.unref();
    started.on('message', ({ id, outcome }: HostAnswer) => settle(id, outcome));
    const fail = (problem: string) => {
      if (child === started) child = null;
      for (const id of [...pending.keys()]) settle(id, { kind: 'not-started', message: problem });
    };
    started.once('error', (error) => fail(error.message));
    started.once('exit', () => fail('the process that starts git ended'));
    return started;
  };
  const settle = (id: number, outcome: GitOutcome) => {
    pending.get(id)?.(outcome);
    pending.delete(id);
    if (pending.size === 0) child?.channel?.unref();
  };
  const send = (message: HostMessage) => {
    child ??= start();
    child.channel?.ref();
    child.send(message);
  };
  return {
    run: ({ signal, ...command }) => {
      if (signal?.aborted) return Promise.resolve({ kind: 'aborted' });
      const id = ++lastId;
      const abort = () => send({ abort: id });
      signal?.addEventListener('abort', abort, { once: true });
      return new Promise((resolve) => {
        pending.set(id, (outcome) => {
          signal?.removeEventListener('abort', abort);
          resolve(outcome);
        });
        send({ id, command: { ...command, environment: pickPassedOn(command.environment) } });
      });
    },
    close: () => void (child?.connected && child.disconnect()),
  };
}
