import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupProgress, BackupRequest } from '../../domain/ports/operations.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import type { DataPaths } from '../../platform/data-dir/data-paths.ts';
import { copyInBackground } from '../../storage/sqlite/disk/copy-in-background.ts';
import { listUnfinishedRuns, readDatabaseFacts } from '../../storage/sqlite/disk/inspect-copy.ts';
import { isRestorable, LAYOUT } from './archive/backup-layout.ts';
import { formatManifest, type Manifest } from './archive/manifest.ts';
import type { ArchiveEntry } from './archive/write-archive.ts';
import { stageRepository } from './stage-repository.ts';
import { describeBytes, describeFile, linkOrCopy, listSorted } from './staged-files.ts';

/** What a backup is made of. */
export interface BackupSource {
  dataDir: string;
  paths: DataPaths;
  /** The built `copy-worker.js`. */
  copyWorkerUrl: URL;
  /** The master key as its file contains it. */
  readMasterKey(): Promise<string>;
  /** Version of this program. */
  version: string;
}

/** The files of a backup as they were at one moment, in a folder of the data directory. */
export interface StagedBackup {
  entries: ArchiveEntry[];
  createdAtMs: number;
  remove(): Promise<void>;
}

const STAGING = /^backup-[0-9a-f]{16}\.tmp$/;

/** Removes what backups left that were killed. Call it while no backup is made. */
export async function removeStaleStaging(dataDir: string): Promise<void> {
  const names = (await readdir(dataDir)).filter((name) => STAGING.test(name));
  for (const name of names) await rm(join(dataDir, name), { recursive: true, force: true });
}

/**
 * Copies what a backup contains. The database comes first: a repository or a start record may be newer than the database,
 * but not older. Removes its folder if it fails. Throws what `copyInBackground` throws.
 */
export async function stageBackup(
  source: BackupSource,
  request: BackupRequest,
  { nowMs, signal, onProgress }: { nowMs: number; signal: AbortSignal; onProgress(progress: BackupProgress): void },
): Promise<StagedBackup> {
  const folder = join(source.dataDir, `backup-${randomBytes(8).toString('hex')}.tmp`);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await mkdir(folder, { mode: 0o700 });
    const database = join(folder, LAYOUT.database);
    await copyInBackground(source.copyWorkerUrl, {
      source: source.paths.database,
      target: database,
      signal,
      onProgress: (phase, doneBytes, totalBytes) => onProgress({ phase, doneBytes, totalBytes }),
    });
    const files = [
      await describeFile(LAYOUT.database, database),
      ...(await stageManaged(source.paths.managed, folder)),
      ...(await listStartRecords(source.paths.startRecords, listUnfinishedRuns(database))),
      ...(request.logs ? await stageLogs(source.paths.runLogs, folder) : []),
      ...(request.includeKey ? [describeBytes(LAYOUT.masterKey, await source.readMasterKey())] : []),
    ];
    const manifest = formatManifest(composeManifest(source, request, database, nowMs));
    return { entries: [describeBytes(LAYOUT.manifest, manifest), ...files], createdAtMs: nowMs, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function composeManifest(
  { version }: BackupSource,
  { logs, includeKey }: BackupRequest,
  database: string,
  nowMs: number,
): Manifest {
  const { schemaVersion, writtenBy } = readDatabaseFacts(database);
  return {
    createdAt: formatInstant(nowMs),
    version,
    schemaVersion,
    schemaWrittenBy: writtenBy,
    hasLogs: logs,
    hasMasterKey: includeKey,
  };
}

async function stageManaged(managed: string, folder: string): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  for (const name of (await listSorted(managed)).filter((name) => name.endsWith('.git'))) {
    const target = join(folder, LAYOUT.managed, name);
    entries.push(...(await stageRepository(join(managed, name), target, `${LAYOUT.managed}/${name}`)));
  }
  return entries;
}

/** Start records are empty files. Those of runs that ended before the copy of the database are never read again. */
async function listStartRecords(records: string, unfinished: ReadonlySet<string>): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  for (const run of (await listSorted(records)).filter((name) => unfinished.has(name))) {
    const attempts = await listSorted(join(records, run));
    entries.push(...attempts.map((attempt) => describeBytes(`${LAYOUT.startRecords}/${run}/${attempt}`, '')));
  }
  return entries;
}

/** Links keep the logs of runs that retention removes before the archive is written. */
async function stageLogs(runLogs: string, folder: string): Promise<ArchiveEntry[]> {
  const target = join(folder, LAYOUT.runLogs);
  await mkdir(target, { mode: 0o700 });
  const entries: ArchiveEntry[] = [];
  for (const name of (await listSorted(runLogs)).filter((name) => isRestorable(`${LAYOUT.runLogs}/${name}`))) {
    const path = join(target, name);
    if (await linkOrCopy(join(runLogs, name), path))
      entries.push(await describeFile(`${LAYOUT.runLogs}/${name}`, path));
  }
  return entries;
}
