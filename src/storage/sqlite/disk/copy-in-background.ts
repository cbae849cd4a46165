import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../../domain/errors.ts';
import { sizeOfFile } from './database-space.ts';
import { computeReserve, measureDisk } from './space-guard.ts';

const MIB = 1024 * 1024;
/** Kept free in addition to the reserve of `SpaceGuard`, so that a copy is aborted before deliveries are rejected. */
const SPARE_BYTES = 48 * MIB;
const WATCH_INTERVAL_MS = 500;
const LOW_PRIORITY = 10;
const MAX_ERROR_CHARACTERS = 1000;

interface CopyRequest {
  source: string;
  /** A new file. */
  target: string;
  signal: AbortSignal;
  onProgress(phase: 'copying' | 'checking', doneBytes: number, totalBytes: number): void;
}

/** A line that the process prints. */
type CopyMessage = { doneBytes: number; totalBytes: number } | { checking: number } | { finding: string | null };

/**
 * Copies a database that may be in use, and checks the copy, in another process of low priority.
 *
 * Throws `storage_unavailable` if the copy does not fit on the disk or fails, `storage_damaged` if the copy is damaged,
 * and `shutting_down` if the signal aborted it. The caller removes the target.
 *
 * @param workerUrl the built `copy-worker.js`
 */
export async function copyInBackground(workerUrl: URL, request: CopyRequest): Promise<void> {
  requireSpace(request);
  const child = spawn(process.execPath, [fileURLToPath(workerUrl), request.source, request.target], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {},
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  child.once('spawn', () => lowerPriority(child.pid!));
  let shortage: string | null = null;
  const watch = setInterval(() => {
    if (measureSpareBytes(request.target) >= 0) return;
    shortage = `the file system of ${dirname(request.target)} is nearly full`;
    child.kill('SIGKILL');
  }, WATCH_INTERVAL_MS);
  const kill = () => void child.kill('SIGKILL');
  request.signal.addEventListener('abort', kill);
  if (request.signal.aborted) kill();
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  let finding: string | null | undefined;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as CopyMessage;
    if ('finding' in message) finding = message.finding;
    else if ('checking' in message) request.onProgress('checking', message.checking, message.checking);
    else request.onProgress('copying', message.doneBytes, message.totalBytes);
  });
  try {
    const code = await ended;
    if (request.signal.aborted) throw new AppError('shutting_down', 'the backup was aborted');
    if (shortage !== null)
      throw new AppError('storage_unavailable', `the copy of the database was aborted: ${shortage}`);
    if (code !== 0 || finding === undefined) throw describeFailure(Buffer.concat(errors).toString('utf8'));
  } finally {
    clearInterval(watch);
    request.signal.removeEventListener('abort', kill);
  }
  if (finding !== null) throw new AppError('storage_damaged', `${request.source} is damaged: ${finding}`);
}

/** The error of the process is the message of its exception: the line that names an error. */
function describeFailure(errors: string): AppError {
  const line = errors.split('\n').find((text) => /Error\b/.test(text)) ?? errors;
  const reason = line.trim().slice(0, MAX_ERROR_CHARACTERS) || 'its process was killed';
  return new AppError('storage_unavailable', `the database cannot be copied: ${reason}`);
}

function requireSpace({ source, target }: CopyRequest): void {
  const neededBytes = sizeOfFile(source) + sizeOfFile(`${source}-wal`);
  const spareBytes = measureSpareBytes(target);
  if (spareBytes >= neededBytes) return;
  const inMib = (bytes: number) => `${Math.ceil(bytes / MIB)} MiB`;
  throw new AppError(
    'storage_unavailable',
    `a copy of the database needs ${inMib(neededBytes)} on the file system of ${dirname(target)}, which has ` +
      `${inMib(Math.max(0, spareBytes))} to spare: free some space there`,
  );
}

/** Free space that a copy may use. */
function measureSpareBytes(file: string): number {
  const disk = measureDisk(dirname(file));
  return disk.freeBytes - computeReserve(disk) - SPARE_BYTES;
}

/** The daemon has priority. If this fails, the copy has normal priority. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, LOW_PRIORITY);
  } catch {}
}
