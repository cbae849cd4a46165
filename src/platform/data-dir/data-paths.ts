import { join } from 'node:path';

/** Paths in the data directory. */
export interface DataPaths {
  database: string;
  mirrors: string;
  /** The repositories of managed factories: not to be lost. */
  managed: string;
  runLogs: string;
  /** Output of runs that the database which several daemons share does not have yet. */
  unsentLogs: string;
  startRecords: string;
  daemonFile: string;
  adminToken: string;
  /** The ID in the names of scheduled backups. */
  backupId: string;
  /** See `noteStorage`. */
  storageNote: string;
  /** The ID of this data directory among those of daemons that share a storage. */
  machineId: string;
}

export function resolveDataPaths(dataDir: string): DataPaths {
  return {
    database: join(dataDir, 'dockbell.db'),
    mirrors: join(dataDir, 'mirrors'),
    managed: join(dataDir, 'managed'),
    runLogs: join(dataDir, 'run-logs'),
    unsentLogs: join(dataDir, 'unsent-logs'),
    startRecords: join(dataDir, 'tickets'),
    daemonFile: join(dataDir, 'daemon.json'),
    adminToken: join(dataDir, 'admin-token'),
    backupId: join(dataDir, 'backup-id'),
    storageNote: join(dataDir, 'storage-type'),
    machineId: join(dataDir, 'machine-id'),
  };
}
