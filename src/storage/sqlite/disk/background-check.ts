import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { markDamaged } from './check-database.ts';

/** While the check reads, the write-ahead log cannot begin again. With more than this the check gives way. */
const MAX_WAL_BYTES = 256 * 1024 * 1024;
const WATCH_INTERVAL_MS = 1000;
const LOW_PRIORITY = 10;

export type CheckOutcome =
  | { outcome: 'whole'; durationMs: number }
  | { outcome: 'damaged'; finding: string }
  /** Nothing is known: it gave way, was stopped, or could not run. */
  | { outcome: 'aborted'; problem: string };

/**
 * Checks the file of a running daemon in another process. Damage is noted beside the file for the next start.
 *
 * @param workerUrl the built `check-worker.js`
 */
export async function checkInBackground(workerUrl: URL, file: string, signal: AbortSignal): Promise<CheckOutcome> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [fileURLToPath(workerUrl), file], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  let problem = '';
  const watch = setInterval(() => {
    if (sizeOf(`${file}-wal`) <= MAX_WAL_BYTES) return;
    problem = 'the write-ahead log grew too large while the check was reading';
    child.kill('SIGKILL');
  }, WATCH_INTERVAL_MS);
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk));
  child.once('spawn', () => lowerPriority(child.pid!));
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      problem ||= error.message;
      resolve(null);
    });
    child.once('close', resolve);
  });
  clearInterval(watch);
  if (code !== 0)
    return { outcome: 'aborted', problem: problem || Buffer.concat(errors).toString('utf8').slice(0, 1000) };
  const { finding } = JSON.parse(Buffer.concat(output).toString('utf8')) as { finding: string | null };
  if (finding === null) return { outcome: 'whole', durationMs: Math.round(performance.now() - startedAt) };
  markDamaged(file, finding);
  return { outcome: 'damaged', finding };
}

/** The check can wait; where the priority cannot be changed it does not matter. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, LOW_PRIORITY);
  } catch {}
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
