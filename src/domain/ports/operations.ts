import type { RetentionMark } from '../time/retention-time.ts';

export const FINDING_SEVERITIES = ['error', 'warning'] as const;
/** `error`: something does not work, or data can be lost. `warning`: something can fail later. */
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];

/** Something that an operator has to look at. */
export interface Finding {
  severity: FindingSeverity;
  /** Name of the check. */
  check: string;
  message: string;
  /** What to do. */
  hint: string;
}

export interface DoctorReport {
  /** Names of the checks that ran, in their order. */
  checks: string[];
  findings: Finding[];
}

/** Examines a running daemon. */
export interface Doctor {
  examine(): Promise<DoctorReport>;
}

/** What a reload of the configuration did. */
export interface ConfigReload {
  /** Names of the options that took effect. */
  applied: string[];
  /** Names of the options that take effect at the next start. */
  needRestart: string[];
  /** Names of the factories that the configuration has for the first time, has with other keys, or no longer has. */
  factories: { added: string[]; changed: string[]; removed: string[] };
}

export interface ReloadControl {
  /** Reads the configuration again. Throws `config_invalid`, and then nothing has changed. */
  reload(): Promise<ConfigReload>;
}

/** How a change of the master key ended. */
interface MasterKeyChange {
  /** `waiting`: every value is sealed under the new key, and the operator has to put it in place. */
  state: 'done' | 'waiting';
  /** Number of values that were sealed again. */
  resealed: number;
  /** The file with the new key; `null` if the key comes from the environment. */
  keyFile: string | null;
  earlierKeyFile: string | null;
}

/** The master key of a running daemon. */
export interface MasterKeyControl {
  /** Seals all values under another key. Throws `conflict` while another change is not complete. */
  rotate(nextKey: Uint8Array): Promise<MasterKeyChange>;
}

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

/** Retention periods in milliseconds. */
export interface RetentionPolicy {
  deliveriesMs: number;
  /** Number of most recent entries that each webhook keeps regardless of age. */
  minDeliveries: number;
  identitiesMs: number;
  runsMs: number;
  auditMs: number;
  /** How long a version of a secret is kept after its last use. */
  secretVersionsMs: number;
}

/** Removes expired rows in small batches, so that deliveries are not delayed. */
export interface Retention {
  /**
   * Removes at most a few hundred rows. `more`: another batch is due. `removedRuns`: runs whose files can be deleted.
   */
  prune(policy: RetentionPolicy, nowMs: number): Promise<{ more: boolean; removedRuns: string[] }>;
  /**
   * The mark of the last pass. If none was recorded yet, the mark of the most recent row; `null` if nothing is stored.
   */
  lastMark(): Promise<RetentionMark | null>;
  noteMark(mark: RetentionMark): Promise<void>;
  /**
   * Returns part of the free space in the database to the file system, if there is much of it or the disk is nearly
   * full. `more`: another part is due.
   */
  reclaim(): Promise<{ more: boolean }>;
}
