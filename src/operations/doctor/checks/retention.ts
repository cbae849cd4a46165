import { existsSync } from 'node:fs';
import { formatSize } from '../../../domain/words/quantities.ts';
import { sizeOfFile } from '../../../storage/sqlite/disk/database-space.ts';
import { readDeliverySpan } from '../../../storage/sqlite/disk/inspect-copy.ts';
import { computeReserve, measureDisk } from '../../../storage/sqlite/disk/space-guard.ts';
import type { Check, Patient, Symptom } from '../patient.ts';

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
