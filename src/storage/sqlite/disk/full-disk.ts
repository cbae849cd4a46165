import type Database from 'better-sqlite3';
import { prepareNamed } from '../statement.ts';

const PROBE_BYTES = 64 * 1024;

/** Remembers that the disk was full, until a write succeeds. */
interface FullDisk {
  /** SQLite reported a full disk. */
  found(): void;
  /** A write succeeded. */
  over(): void;
  /**
   * Tries a write if the disk was full, for a caller that has nothing to write. The statistics of a file system do not
   * show a quota, and without deliveries nothing else would write. Throws the errors of SQLite.
   */
  probe(): void;
}

export function watchFullDisk(db: Database.Database): FullDisk {
  const write = prepareNamed<{ bytes: number }>(
    db,
    "INSERT OR REPLACE INTO settings (key, value) VALUES ('room_probe', zeroblob(@bytes))",
  );
  const remove = db.prepare("DELETE FROM settings WHERE key = 'room_probe'");
  let isFull = false;
  return {
    found: () => {
      isFull = true;
    },
    over: () => {
      isFull = false;
    },
    probe: () => {
      if (!isFull) return;
      write.run({ bytes: PROBE_BYTES });
      remove.run();
      isFull = false;
    },
  };
}
