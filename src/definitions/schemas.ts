import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';

export const SCHEMA_KINDS = ['webhook', 'automation', 'factory', 'sample'] as const;
/** A kind of file that has a JSON Schema. */
export type SchemaKind = (typeof SCHEMA_KINDS)[number];

const compiled = new Map<SchemaKind, ValidateFunction>();

/** The validator of one kind, compiled at its first use from the document in `schemas/` that editors use too. */
export function schemaOf(kind: SchemaKind): ValidateFunction {
  let validate = compiled.get(kind);
  if (validate === undefined) {
    validate = createAjv().compile(readSchema(kind));
    compiled.set(kind, validate);
  }
  return validate;
}

/** The JSON Schema document of one kind. It lies beside `src/` in a checkout and beside `dist/` in the package. */
export function readSchema(kind: SchemaKind): { [key: string]: unknown } {
  const url = new URL(`../../schemas/${kind}.schema.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')) as { [key: string]: unknown };
}

function createAjv(): Ajv2020 {
  // `verbose` gives each error the part of the schema that it broke; `x-says` in it words the finding.
  const ajv = new Ajv2020({
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
