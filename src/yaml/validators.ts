import type { ValidateFunction } from 'ajv/dist/2020.js';
import { createAjv, readValidationSchema } from './create-ajv.ts';
import type { SchemaName } from './schemas.ts';

const compiled = new Map<SchemaName, ValidateFunction>();

/**
 * The validator of one kind of file. Compiled at its first use, from the document in `schemas/` that editors use too.
 * In `dist/` this module is replaced by validators that were compiled at build (scripts/compile-validators.ts), because
 * compiling takes up to 100 ms per schema.
 */
export function validatorOf(name: SchemaName): ValidateFunction {
  let validate = compiled.get(name);
  if (validate === undefined) {
    validate = createAjv().compile(readValidationSchema(name));
    compiled.set(name, validate);
  }
  return validate;
}
