/** What a backup contains in addition to what it always contains. */
export interface BackupRequest {
  logs: boolean;
  includeKey: boolean;
}

export const BACKUP_PHASES = ['copying', 'checking', 'writing'] as const;
export type BackupPhase = (typeof BACKUP_PHASES)[number];

/** How far a backup is. */
export interface BackupProgress {
  phase: BackupPhase;
  doneBytes: number;
  totalBytes: number;
}

/** A backup that is ready to be read once. */
export interface OpenBackup {
  /** A name for the file. */
  name: string;
  bytes: number;
  /** The archive. */
  content: AsyncIterable<Uint8Array>;
  /** Removes what the archive is read from. To be called in any case: until then, no other backup can be made. */
  discard(): Promise<void>;
}

/** The backups that the configuration asks for. Times are wall times in milliseconds. */
export interface BackupSchedule {
  everyMs: number;
  keep: number;
  dir: string;
  lastSuccess: { at: number; file: string; bytes: number } | null;
  lastFailure: { at: number; problem: string } | null;
  nextAt: number;
}

export interface BackupStatus {
  /** `null` if the configuration has no `backup`. */
  schedule: BackupSchedule | null;
  /** `null` if no backup is being made. */
  running: BackupProgress | null;
}

/** Backups of a running daemon. */
export interface BackupControl {
  status(): Promise<BackupStatus>;
  /**
   * Copies the database and resolves when the archive can be read. Throws `conflict` while another backup is made, and
   * `storage_unavailable` or `storage_damaged` if the database cannot be copied.
   */
  open(request: BackupRequest, signal: AbortSignal): Promise<OpenBackup>;
}
