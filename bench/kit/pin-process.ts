import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';

/** `server`: the first core. `load`: all others. */
export type Side = 'server' | 'load';

/** How `pinProcess` distributes the cores, for the notes of a table. */
export function describePinning(): string {
  return canPin
    ? 'The server runs on the first core, the load generator on the others.'
    : 'The processes are not bound to cores: taskset is missing, or there is only one core.';
}

const canPin = cpus().length > 1 && spawnSync('taskset', ['-V'], { stdio: 'ignore' }).status === 0;

/** Binds all threads of a process to its cores, and the threads that they start. Does nothing if the system cannot. */
export function pinProcess(pid: number, side: Side): void {
  if (!canPin) return;
  const cores = side === 'server' ? '0' : `1-${cpus().length - 1}`;
  const { status, stderr } = spawnSync('taskset', ['-a', '-c', '-p', cores, String(pid)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`taskset failed: ${stderr}`);
}
