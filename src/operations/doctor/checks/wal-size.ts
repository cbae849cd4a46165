import { formatSize } from '../../../domain/words/quantities.ts';
import { sizeOfFile } from '../../../storage/sqlite/disk/database-space.ts';
import { WAL_BYTES } from '../../../storage/sqlite/disk/space-guard.ts';
import type { Check } from '../patient.ts';

/** Is the write-ahead log emptied? */
export const walSizeCheck: Check = {
  name: 'wal-size',
  storage: 'sqlite',
  run: ({ paths }) => {
    const bytes = sizeOfFile(`${paths.database}-wal`);
    if (bytes <= 2 * WAL_BYTES) return [];
    return [
      {
        severity: 'warning',
        message: `the write-ahead log ${paths.database}-wal has ${formatSize(bytes)}, usually at most ${formatSize(WAL_BYTES)}`,
        hint: 'Another process reads the database for a long time, or a backup is being made. Close other tools that have it open.',
      },
    ];
  },
};
