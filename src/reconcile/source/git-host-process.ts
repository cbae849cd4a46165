import type { HostAnswer, HostMessage } from './git-host.ts';
import { runGit } from './git-process.ts';

/** The process that starts git for the daemon. It ends with its parent, and ends the git processes that it started. */
const running = new Map<number, AbortController>();

process.on('message', (message: HostMessage) => {
  if ('abort' in message) running.get(message.abort)?.abort();
  else void run(message);
});
process.once('disconnect', () => {
  for (const abort of running.values()) abort.abort();
});
// The daemon decides when it stops. These signals reach the whole process group of a terminal.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('SIGHUP', () => {});

async function run({ id, command }: Exclude<HostMessage, { abort: number }>): Promise<void> {
  const abort = new AbortController();
  running.set(id, abort);
  const outcome = await runGit({ ...command, signal: abort.signal });
  running.delete(id);
  if (process.connected) process.send!({ id, outcome } satisfies HostAnswer);
}
