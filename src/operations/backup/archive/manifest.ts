import { isJsonObject } from '../../../domain/json.ts';

/** The version of the layout. Another layout gets another number. */
const FORMAT = 1;

/** What a backup is: the content of its first file. */
export interface Manifest {
  createdAt: string;
  /** The program that made the backup. */
  version: string;
  schemaVersion: number;
  /** The program that wrote the schema of the database; `null` if it is older than 0.2. */
  schemaWrittenBy: string | null;
  hasLogs: boolean;
  hasMasterKey: boolean;
}

export function formatManifest(manifest: Manifest): string {
  const written = {
    format: FORMAT,
    created_at: manifest.createdAt,
    dockbell_version: manifest.version,
    schema_version: manifest.schemaVersion,
    schema_written_by: manifest.schemaWrittenBy,
    run_logs: manifest.hasLogs,
    master_key: manifest.hasMasterKey,
  };
  return `${JSON.stringify(written, null, 2)}\n`;
}

/** Throws an error with one sentence if the text is not a manifest of a backup that this program can read. */
export function parseManifest(text: string): Manifest {
  const value = parseJson(text);
  const { format, created_at, dockbell_version, schema_version, schema_written_by, run_logs, master_key } = value;
  if (format !== FORMAT)
    throw new Error(`the format of the backup is ${JSON.stringify(format)}, but this Dockbell reads ${FORMAT}`);
  const isComplete =
    typeof created_at === 'string' &&
    typeof dockbell_version === 'string' &&
    typeof schema_version === 'number' &&
    Number.isSafeInteger(schema_version) &&
    (schema_written_by === null || typeof schema_written_by === 'string') &&
    typeof run_logs === 'boolean' &&
    typeof master_key === 'boolean';
  if (!isComplete) throw new Error('its manifest is incomplete');
  return {
    createdAt: created_at,
    version: dockbell_version,
    schemaVersion: schema_version,
    schemaWrittenBy: schema_written_by,
    hasLogs: run_logs,
    hasMasterKey: master_key,
  };
}

function parseJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {}
  throw new Error('its manifest is not JSON');
}
