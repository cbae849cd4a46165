import type Database from 'better-sqlite3';

const PROBE_BYTES = 64 * 1024;

/** Remembers that SQLite found the disk full, until a write shows that it no longer is. */
export interface FullDisk {
  /** SQLite found no room. */
  found(): void;
  /** Something was written. */
  over(): void;
  /**
   * For whoever asks without having anything to write: where there was no room, tries whether there is again. A quota
   * does not show in the numbers of a file system, and without deliveries nothing else would write. Throws as SQLite does.
   */
  probe(): void;
}

export function watchFullDisk(db: Database.Database): FullDisk {
  const write = db.prepare("INSERT OR REPLACE INTO settings (key, value) VALUES ('room_probe', zeroblob(?))");
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
      write.run(PROBE_BYTES);
      remove.run();
      isFull = false;
    },
  };
}
