import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../domain/json.ts';
import { packageFile } from '../../platform/files/package-files.ts';

export const SCHEMA_KINDS = ['webhook', 'automation', 'factory', 'sample'] as const;
/** A kind of definition file that has a JSON Schema. */
export type SchemaKind = (typeof SCHEMA_KINDS)[number];

/** Every JSON Schema that editors may ask for: those of definition files, and that of `dockbell.yaml`. */
export const SCHEMA_NAMES = [...SCHEMA_KINDS, 'config'] as const;
export type SchemaName = (typeof SCHEMA_NAMES)[number];

/** The JSON Schema document of that name. */
export function readSchema(name: SchemaName): JsonObject {
  return JSON.parse(readSchemaText(name)) as JsonObject;
}

/** Its text. */
export function readSchemaText(name: SchemaName): string {
  return readFileSync(packageFile(`schemas/${name}.schema.json`), 'utf8');
}
