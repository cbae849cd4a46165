import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AppError, messageOf, systemErrorCode } from '../../domain/errors.ts';
import type { KeyProof } from '../../domain/ports/secret-store.ts';
import { resolveDataPaths } from '../../platform/data-dir/data-paths.ts';
import { makeFolder } from '../../platform/files/make-folder.ts';
import { syncFolder } from '../../platform/files/write-durably.ts';
import { readKeyFile } from '../../platform/secrets/load-master-key.ts';
import { isKeyOf } from '../../platform/secrets/master-key-rotation.ts';
import { createVault } from '../../platform/secrets/vault.ts';
import { lockDataDir } from '../../storage/data-dir-lock.ts';
import { findDamage } from '../../storage/sqlite/disk/check-database.ts';
import { type DatabaseFacts, readDatabaseFacts, SCHEMA_VERSION } from '../../storage/sqlite/disk/inspect-copy.ts';
import { LAYOUT } from './archive/backup-layout.ts';
import type { Manifest } from './archive/manifest.ts';
import { type ArchiveContent, type FileSink, readArchive } from './archive/read-archive.ts';
import { explainWriting } from './explain-writing.ts';

/** What a killed restore, a daemon that was stopped, and a new file system leave in an empty folder. */
const IGNORED = /^(?:\.restore-[0-9a-f]{16}|daemon\.lock(?:-journal)?|daemon\.pid|lost\+found)$/;
const STAGING = /^\.restore-[0-9a-f]{16}$/;

export interface RestoreRequest {
  file: string;
  dataDir: string;
  onProgress(doneBytes: number, totalBytes: number): void;
}

/**
 * Restores a backup to a data directory that is missing or empty. Everything is extracted to a folder next to the final
 * names and checked there. The database is moved last: without it, no daemon starts.
 *
 * Throws `bad_request` if the file is not a complete backup. Throws `storage_newer` if its database needs a newer Dockbell,
 * and `storage_damaged` if its database is damaged. Throws `conflict` if the directory is not empty, `data_dir_locked` if it
 * is in use, and `storage_unavailable` if it cannot be written.
 */
export async function restoreBackup(request: RestoreRequest): Promise<ArchiveContent> {
  process.umask(0o077);
  const { dataDir } = request;
  if (!(await isEmptyFolder(dataDir))) return restoreAsNew(request);
  const lock = lockDataDir(dataDir);
  try {
    await removeStaleStaging(dataDir);
    return await withStaging(dataDir, async (staging) => {
      const content = await extract(staging, request);
      await moveContent(staging, dataDir);
      return content;
    });
  } finally {
    lock.release();
  }
}

/**
 * Checks a backup as `restoreBackup` does, and keeps nothing. The database is extracted to a temporary folder. Throws as
 * `restoreBackup`.
 */
export async function checkBackup({ file, onProgress }: Omit<RestoreRequest, 'dataDir'>): Promise<ArchiveContent> {
  process.umask(0o077);
  return withStaging(tmpdir(), (staging) => extract(staging, { file, onProgress }, CHECKED));
}

/** Files that are checked beyond their digests. */
const CHECKED: readonly string[] = [LAYOUT.database, LAYOUT.masterKey];

async function restoreAsNew(request: RestoreRequest): Promise<ArchiveContent> {
  const parent = dirname(request.dataDir);
  await makeFolder(parent, { mode: 0o700, isDurable: true });
  return withStaging(parent, async (staging) => {
    const content = await extract(staging, request);
    await rename(staging, request.dataDir);
    await syncFolder(parent);
    return content;
  });
}

/** `false` if the folder does not exist. Throws `conflict` if it has content. */
async function isEmptyFolder(path: string): Promise<boolean> {
  const names = await readdir(path).catch((cause) => {
    if (systemErrorCode(cause) === 'ENOENT') return null;
    throw new AppError('conflict', `${path} cannot be used as data directory: ${messageOf(cause)}`, { cause });
  });
  const kept = names?.filter((name) => !IGNORED.test(name)) ?? [];
  if (kept.length === 0) return names !== null;
  throw new AppError(
    'conflict',
    `${path} is not empty (it contains ${kept.slice(0, 3).join(', ')}): restore to a new directory, or move its content away`,
  );
}

async function removeStaleStaging(dataDir: string): Promise<void> {
  const stale = (await readdir(dataDir)).filter((name) => STAGING.test(name));
  for (const name of stale) await rm(join(dataDir, name), { recursive: true, force: true });
}

async function withStaging<Result>(parent: string, work: (staging: string) => Promise<Result>): Promise<Result> {
  const staging = join(parent, `.restore-${randomBytes(8).toString('hex')}`);
  try {
    return await work(staging);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** @param selected names of the files to extract; all if omitted. The digests of the others are compared, too. */
async function extract(
  staging: string,
  { file, onProgress }: Omit<RestoreRequest, 'dataDir'>,
  selected?: readonly string[],
): Promise<ArchiveContent> {
  const folders = new Set<string>();
  const content = await readArchive(file, {
    onManifest: requireKnownSchema,
    openSink: async (name) => {
      if (selected?.includes(name) === false) return null;
      const path = join(staging, name);
      for (const folder of listFolders(staging, path)) {
        if (!folders.has(folder)) await explainWriting(folder, mkdir(folder, { mode: 0o700 }));
        folders.add(folder);
      }
      return openFile(path);
    },
    onProgress,
  });
  const { keyProof } = await checkDatabase(staging, content.manifest);
  if (content.manifest.hasMasterKey) await checkMasterKey(staging, keyProof);
  for (const folder of folders) await syncFolder(folder);
  return content;
}

function requireKnownSchema({ schemaVersion, schemaWrittenBy, version }: Manifest): void {
  if (schemaVersion <= SCHEMA_VERSION) return;
  throw new AppError(
    'storage_newer',
    `the backup has schema version ${schemaVersion}, but this Dockbell supports versions up to ${SCHEMA_VERSION}: ` +
      `install Dockbell ${schemaWrittenBy ?? version} or newer`,
  );
}

/** The folders of a file from `staging` on. */
function listFolders(staging: string, path: string): string[] {
  const folder = dirname(path);
  return folder === staging ? [staging] : [...listFolders(staging, folder), folder];
}

async function openFile(path: string): Promise<FileSink> {
  const file = await explainWriting(path, open(path, 'wx', 0o600));
  return {
    write: async (piece) => {
      await explainWriting(path, file.writeFile(piece));
    },
    end: async () => {
      await explainWriting(path, file.sync());
      await file.close();
    },
  };
}

/** The manifest could say something else about the database than the database itself. */
async function checkDatabase(staging: string, manifest: Manifest): Promise<DatabaseFacts> {
  const database = resolveDataPaths(staging).database;
  const finding = findDamage(database);
  if (finding !== null) throw new AppError('storage_damaged', `the database in the backup is damaged: ${finding}`);
  const facts = readDatabaseFacts(database);
  requireKnownSchema({ ...manifest, schemaVersion: facts.schemaVersion, schemaWrittenBy: facts.writtenBy });
  // The connections that checked the database leave them behind.
  for (const suffix of ['-wal', '-shm']) await rm(`${database}${suffix}`, { force: true });
  return facts;
}

async function checkMasterKey(staging: string, proof: KeyProof | null): Promise<void> {
  const found = await readKeyFile(join(staging, LAYOUT.masterKey));
  if (found === null || proof === null || isKeyOf(proof, createVault(found.key))) return;
  throw new AppError('master_key_wrong', 'the master key in the backup is not the key of its database');
}

async function moveContent(staging: string, dataDir: string): Promise<void> {
  const names = (await readdir(staging)).filter((name) => name !== LAYOUT.database);
  for (const name of names) await rename(join(staging, name), join(dataDir, name));
  await syncFolder(dataDir);
  await rename(join(staging, LAYOUT.database), join(dataDir, LAYOUT.database));
  await syncFolder(dataDir);
}
