import { escapeText } from '../../domain/words/escape-text.ts';
import { countOf, formatSize } from '../../domain/words/quantities.ts';
import type { ArchiveContent } from '../../operations/backup/archive/read-archive.ts';

/** The content of a backup as one line. */
export function describeContent({ manifest, files, bytes }: ArchiveContent): string {
  const { createdAt, version, schemaVersion, hasLogs } = manifest;
  const logs = hasLogs ? 'with run logs' : 'without run logs';
  return escapeText(
    `${formatSize(bytes)}, ${countOf(files, 'file')}, ${logs}, of ${createdAt}, made by Dockbell ${version} (schema version ${schemaVersion})`,
  );
}

/** The content of a backup for `--json`. */
export function presentContent({ manifest, files, bytes }: ArchiveContent): object {
  return {
    bytes,
    files,
    created_at: manifest.createdAt,
    dockbell_version: manifest.version,
    schema_version: manifest.schemaVersion,
    run_logs: manifest.hasLogs,
    master_key: manifest.hasMasterKey,
  };
}
