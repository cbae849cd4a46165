import { existsSync, statSync } from 'node:fs';
import type { Check, Symptom } from '../patient.ts';

/** Are scheduled backups kept apart from the data? A late one is a condition of the running daemon. */
export const backupCheck: Check = {
  name: 'backup',
  run: ({ config: { backup, dataDir }, running }): Symptom[] => {
    if (backup === null) return [];
    const overdue = running?.conditions().filter(({ type }) => type === 'BackupOverdue') ?? [];
    const late = overdue.map(
      ({ message }): Symptom => ({
        severity: 'error',
        message,
        hint: "Fix the reported problem, or make a backup now with 'dockbell backup FILE'.",
      }),
    );
    const isSameDisk =
      existsSync(backup.dir) && existsSync(dataDir) && statSync(backup.dir).dev === statSync(dataDir).dev;
    if (!isSameDisk) return late;
    const message = `backup.dir ${backup.dir} is on the same file system as the data directory`;
    return [
      ...late,
      { severity: 'warning', message, hint: 'Use another disk, or copy the backups to another machine.' },
    ];
  },
};
