import { AppError } from '../../domain/errors.ts';
import type { BackupProgress, BackupRequest, OpenBackup } from '../../domain/ports/operations.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { requireOwnDatabase } from '../../platform/data-dir/require-database.ts';
import { lockDataDir } from '../../storage/data-dir-lock.ts';
import { measureArchive, writeArchive } from './archive/write-archive.ts';
import { nameBackup } from './online-backups.ts';
import { type BackupSource, removeStaleStaging, stageBackup } from './stage-backup.ts';

/**
 * A backup of a daemon that is stopped. The database is not migrated. No daemon can start until the backup is discarded.
 *
 * Throws `data_dir_locked` while a daemon runs, `bad_request` if the folder holds no database, `forbidden` if the database
 * belongs to another user, and what `stageBackup` throws.
 */
export async function openOfflineBackup(
  source: BackupSource,
  request: BackupRequest,
  parts: { signal: AbortSignal; onProgress(progress: BackupProgress): void },
): Promise<OpenBackup> {
  requireOwnDatabase(source.paths.database, source.dataDir);
  process.umask(0o077);
  const lock = lockDataDir(source.dataDir);
  try {
    await removeStaleStaging(source.dataDir);
    const staged = await stageBackup(source, request, { nowMs: systemClock.wallMs(), ...parts });
    return {
      name: nameBackup(staged.createdAtMs),
      bytes: measureArchive(staged.entries),
      content: untilAborted(writeArchive(staged.entries, staged.createdAtMs), parts.signal),
      discard: async () => {
        await staged.remove();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function* untilAborted(pieces: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    if (signal.aborted) throw new AppError('shutting_down', 'the backup was aborted');
    yield piece;
  }
}
