import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { JsonObject } from '../core/json.ts';
import { packageFile } from '../files/package-files.ts';

export const SCHEMA_KINDS = ['webhook', 'automation', 'factory', 'sample'] as const;
/** A kind of file that has a JSON Schema. */
export type SchemaKind = (typeof SCHEMA_KINDS)[number];

/** Every JSON Schema that editors may ask for: those of definition files, and that of `dockbell.yaml`. */
export const SCHEMA_NAMES = [...SCHEMA_KINDS, 'config'] as const;
export type SchemaName = (typeof SCHEMA_NAMES)[number];

const compiled = new Map<SchemaKind, ValidateFunction>();

/** The validator of one kind, compiled at its first use from the document in `schemas/` that editors use too. */
export function schemaOf(kind: SchemaKind): ValidateFunction {
  let validate = compiled.get(kind);
  if (validate === undefined) {
    // The draft is declared for editors, some of which know none after 7; nothing in the documents differs between drafts.
    const { $schema: _declared, ...schema } = readSchema(kind);
    validate = createAjv().compile(schema);
    compiled.set(kind, validate);
  }
  return validate;
}

/** The JSON Schema document of that name. */
export function readSchema(name: SchemaName): JsonObject {
  return JSON.parse(readSchemaText(name)) as JsonObject;
}

/** Its text. */
export function readSchemaText(name: SchemaName): string {
  return readFileSync(packageFile(`schemas/${name}.schema.json`), 'utf8');
}

function createAjv(): Ajv2020 {
  // Checking the documents themselves would take longer than a small factory; a test of them does it.
  // `verbose` gives each error the part of the schema that it broke; `x-says` in it words the finding.
  const ajv = new Ajv2020({
    validateSchema: false,
    allErrors: true,
    verbose: true,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    logger: false,
  });
  ajv.addVocabulary(['x-says', 'patternErrorMessage']);
  ajvFormats.default(ajv);
  return ajv;
}
