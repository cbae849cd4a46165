import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { markDamaged } from './check-database.ts';
import { sizeOfFile } from './database-space.ts';

/**
 * The write-ahead log cannot restart while the check reads. If the log grows larger than this, the check is aborted.
 */
const MAX_WAL_BYTES = 256 * 1024 * 1024;
const WATCH_INTERVAL_MS = 1000;
const LOW_PRIORITY = 10;

type CheckOutcome =
  | { outcome: 'undamaged'; durationMs: number }
  | { outcome: 'damaged'; finding: string }
  /** Without a result: the log grew too large, the daemon stopped, or the check could not run. */
  | { outcome: 'aborted'; problem: string };

/**
 * Checks the database of a running daemon in another process. If it finds damage, it creates a marker file next to the
 * database, so that the next start checks again.
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
    if (sizeOfFile(`${file}-wal`) <= MAX_WAL_BYTES) return;
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
  if (finding === null) return { outcome: 'undamaged', durationMs: Math.round(performance.now() - startedAt) };
  markDamaged(file, finding);
  return { outcome: 'damaged', finding };
}

/** The daemon has priority. If this fails, the check runs with normal priority. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, LOW_PRIORITY);
  } catch {}
}
