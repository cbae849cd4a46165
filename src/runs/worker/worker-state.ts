import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunId } from '../../domain/ids.ts';
import type { StartRecords } from '../../domain/ports/executor.ts';
import { makeFolder } from '../../platform/files/make-folder.ts';
import { writeDurably } from '../../platform/files/write-durably.ts';
import { lockDataDir } from '../../storage/data-dir-lock.ts';
import { createRunFiles, type RunFiles } from '../executors/files/run-files.ts';
import { createStartRecords } from '../executors/start-records.ts';
import type { Hold } from './worker-api.ts';

/** The folder of a worker: what it needs to know after a crash, and the files of the runs that it executes. */
export interface WorkerState {
  /** Identifies the worker among those with the same token. The folder keeps it. */
  id: string;
  runsDir: string;
  logsDir: string;
  startRecords: StartRecords;
  /** Stores that this worker holds the attempt. Resolves when that is on disk. */
  keep(hold: Hold): Promise<void>;
  /** Deletes everything about a run that this worker no longer holds. */
  forget(hold: Hold): Promise<void>;
  /** The attempts that an earlier process held. */
  kept(): Promise<Hold[]>;
  release(): void;
}

/** Locks the folder for this process. Throws `data_dir_locked` if another worker uses it. */
export async function openWorkerState(dir: string): Promise<WorkerState> {
  await makeFolder(dir, { mode: 0o700 });
  const lock = lockDataDir(dir);
  const holds = join(dir, 'holds');
  const runsDir = join(dir, 'runs');
  const logsDir = join(dir, 'run-logs');
  const startRecordsDir = join(dir, 'tickets');
  for (const folder of [holds, runsDir, logsDir]) await makeFolder(folder, { mode: 0o700 });
  const startRecords = createStartRecords(startRecordsDir);
  const files: RunFiles = createRunFiles({ runsDir, logsDir, startRecordsDir, startRecords });
  const fileOf = ({ id }: Hold) => join(holds, id);
  return {
    id: await readOrCreateId(join(dir, 'worker-id')),
    runsDir,
    logsDir,
    startRecords,
    keep: (hold) => writeDurably(fileOf(hold), `${hold.fence}\n`),
    forget: async (hold) => {
      await files.removeRunFiles(hold.id);
      // Last: while it exists, the next process knows that something is left.
      await rm(fileOf(hold), { force: true });
    },
    kept: () => readHolds(holds),
    release: () => lock.release(),
  };
}

async function readOrCreateId(file: string): Promise<string> {
  const known = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (/^wrk_[0-9a-f]{16}$/.test(known)) return known;
  const id = `wrk_${randomBytes(8).toString('hex')}`;
  await writeDurably(file, `${id}\n`);
  return id;
}

async function readHolds(folder: string): Promise<Hold[]> {
  const found: Hold[] = [];
  for (const id of await readdir(folder)) {
    const fence = Number((await readFile(join(folder, id), 'utf8')).trim());
    if (isRunId(id) && Number.isInteger(fence)) found.push({ id, fence });
  }
  return found;
}
