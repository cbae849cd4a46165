import { AppError, messageOf, systemErrorCode } from '../../domain/errors.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full: free some space, or use another disk',
  EDQUOT: 'the quota of this user is exhausted: free some space, or use another disk',
  EFBIG: 'its file system does not allow a file of this size: use another disk',
  EROFS: 'its file system is read-only: use another one',
  EACCES: 'this user may not write there: change the permissions, or use another folder',
};

/** Rejects with `storage_unavailable` and the reason if a file or folder cannot be written. */
export async function explainWriting<Result>(path: string, writing: Promise<Result>): Promise<Result> {
  try {
    return await writing;
  } catch (cause) {
    const reason = REASONS[systemErrorCode(cause) ?? ''] ?? messageOf(cause);
    throw new AppError('storage_unavailable', `${path} cannot be written: ${reason}`, { cause });
  }
}
