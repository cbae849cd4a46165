import { existsSync, statSync } from 'node:fs';
import { formatSize } from '../../../domain/words/quantities.ts';
import { sizeOfFile } from '../../../storage/sqlite/disk/database-space.ts';
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
