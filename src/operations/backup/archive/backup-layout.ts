/** Names in a backup. Those of the data directory have the same names there. */
export const LAYOUT = {
  /** The first file: what the backup is. */
  manifest: 'dockbell-backup.json',
  database: 'dockbell.db',
  masterKey: 'master.key',
  managed: 'managed',
  startRecords: 'tickets',
  runLogs: 'run-logs',
  /** The last file: the digests of all others, as `sha256sum` writes them. */
  checksums: 'SHA256SUMS',
} as const;

const FILES: readonly string[] = [LAYOUT.database, LAYOUT.masterKey];

/**
 * Of a repository that Dockbell hosts, only commits and branches: the daemon writes `config` and `HEAD` itself, and nothing
 * else in a repository can make git start a program or read another folder.
 */
const FOLDERS: readonly RegExp[] = [
  /^managed\/[a-z0-9][a-z0-9-]*\.git\/(?:packed-refs|refs\/heads\/[\w.-]+|objects\/(?:[0-9a-f]{2}|pack)\/[\w.-]+)$/,
  /^tickets\/run_[0-9a-z]+\/[0-9]+$/,
  /^run-logs\/run_[0-9a-z]+\.(?:log|times)$/,
];

const MAX_NAME_CHARACTERS = 300;

/** May a file with this name be extracted into a data directory? A backup has no other names, so a hostile one has no power. */
export function isRestorable(name: string): boolean {
  if (name.length > MAX_NAME_CHARACTERS || name.split('/').includes('..')) return false;
  return FILES.includes(name) || FOLDERS.some((pattern) => pattern.test(name));
}
