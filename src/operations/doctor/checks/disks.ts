import { existsSync, statSync } from 'node:fs';
import { formatSize } from '../../../domain/words/quantities.ts';
import { sizeOfFile } from '../../../storage/sqlite/disk/database-space.ts';
import { readDeliverySpan } from '../../../storage/sqlite/disk/inspect-copy.ts';
import { computeReserve, measureDisk } from '../../../storage/sqlite/disk/space-guard.ts';
import type { Check, Patient, Symptom } from '../patient.ts';

/** Is there space for deliveries, for runs and for backups? */
export const freeSpaceCheck: Check = {
  name: 'free-space',
  run: (patient) => [...examineDataDir(patient), ...examineOthers(patient)],
};

function examineDataDir({ config: { dataDir, storage }, paths }: Patient): Symptom[] {
  if (!existsSync(dataDir)) return [];
  const disk = measureDisk(dataDir);
  const reserve = computeReserve(disk);
  const free = `${formatSize(disk.freeBytes)} free on the file system of ${dataDir}`;
  if (disk.freeBytes < reserve) {
    const hint =
      'Free some space there, or shorten the retention. Free pages inside the database also count as free space.';
    return [{ severity: 'error', message: `${free}: deliveries are rejected below ${formatSize(reserve)}`, hint }];
  }
  if (storage.type === 'postgres') return [];
  const copyBytes = sizeOfFile(paths.database) + sizeOfFile(`${paths.database}-wal`);
  if (disk.freeBytes >= reserve + copyBytes) return [];
  const message = `${free}, but a backup or an upgrade needs a copy of the database (${formatSize(copyBytes)})`;
  return [{ severity: 'warning', message, hint: 'Free some space there, or shorten the retention.' }];
}

/** Other disks: folders that the configuration names, and folders of the data directory on which a disk is mounted. */
function examineOthers({ config, paths }: Patient): Symptom[] {
  const ofRuns = [config.runsDir, paths.runLogs, paths.startRecords];
  const folders = [...ofRuns, ...(config.backup === null ? [] : [config.backup.dir])];
  const seen = new Set(existsSync(config.dataDir) ? [statSync(config.dataDir).dev] : []);
  return folders.flatMap((folder) => {
    if (!existsSync(folder) || seen.has(statSync(folder).dev)) return [];
    seen.add(statSync(folder).dev);
    const disk = measureDisk(folder);
    if (disk.freeBytes >= computeReserve(disk)) return [];
    const message = `only ${formatSize(disk.freeBytes)} are free on the file system of ${folder}`;
    return [{ severity: 'warning', message, hint: 'Free some space there.' }];
  });
}

const HOUR_MS = 3_600_000;

/** Does everything that retention keeps fit on the disk? */
export const retentionCheck: Check = {
  name: 'retention',
  run: (patient) => {
    const { config, paths } = patient;
    // The disk of PostgreSQL is not known.
    if (config.storage.type === 'postgres') return examineRuns(patient);
    return existsSync(paths.database) ? [...examineDatabase(patient), ...examineRuns(patient)] : [];
  },
};

/** As much is stored per day as until now. Less than an hour of deliveries predicts nothing. */
function examineDatabase({ config: { dataDir, retention }, paths }: Patient): Symptom[] {
  const spanMs = readDeliverySpan(paths.database);
  if (spanMs === null || spanMs < HOUR_MS || spanMs >= retention.deliveriesMs) return [];
  const bytes = sizeOfFile(paths.database);
  const expectedBytes = Math.ceil((bytes * retention.deliveriesMs) / spanMs);
  const disk = measureDisk(dataDir);
  const roomBytes = bytes + disk.freeBytes - computeReserve(disk);
  if (expectedBytes <= roomBytes) return [];
  return [
    {
      severity: 'warning',
      message:
        `at the present rate, the database grows to about ${formatSize(expectedBytes)} until the first deliveries expire, ` +
        `but ${formatSize(roomBytes)} are available`,
      hint: 'Shorten retention.deliveries, or use a larger disk.',
    },
  ];
}

function examineRuns({ config: { runsDir, retention } }: Patient): Symptom[] {
  if (!existsSync(runsDir)) return [];
  const { totalBytes } = measureDisk(runsDir);
  if (retention.runBytes <= totalBytes) return [];
  return [
    {
      severity: 'warning',
      message: `retention.runBytes (${formatSize(retention.runBytes)}) is larger than the whole file system of ${runsDir}`,
      hint: `Set retention.runBytes to less than ${formatSize(totalBytes)}, so that the files of runs cannot fill the disk.`,
    },
  ];
}

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
