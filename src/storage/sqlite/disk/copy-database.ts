import Database from 'better-sqlite3';

/** Pages of one slice: 4 MiB. */
const SLICE_PAGES = 1024;

/**
 * Copies a database as it is at the start of the copy. A read transaction on a separate connection holds that state, so the
 * writer continues and the copy never starts again. Meanwhile, the write-ahead log cannot be emptied. Throws SQLite's errors.
 *
 * @param onSlice receives the copied and all bytes after each slice
 */
export async function copyDatabase(
  source: string,
  target: string,
  onSlice: (doneBytes: number, totalBytes: number) => void,
): Promise<void> {
  const db = new Database(source, { fileMustExist: true });
  try {
    const pageBytes = db.pragma('page_size', { simple: true }) as number;
    db.exec('BEGIN');
    // The transaction begins with the first read.
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    await db.backup(target, {
      progress: ({ totalPages, remainingPages }) => {
        onSlice((totalPages - remainingPages) * pageBytes, totalPages * pageBytes);
        return SLICE_PAGES;
      },
    });
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}
