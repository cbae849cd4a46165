import type { ValidateFunction } from 'ajv/dist/2020.js';
import { createAjv, readValidationSchema } from '../create-ajv.ts';
import type { SchemaName } from '../schemas.ts';

/** Returns the validator of one kind of file. It is compiled at the first call. */
export type FindValidator = () => ValidateFunction;

/**
 * The validator from the document in `schemas/` that editors use too. The modules of this folder that call it are replaced
 * in `dist/` by validators that were compiled at build (scripts/compile-validators.ts), because compiling takes up to
 * 100 ms per schema. Each schema has a separate module, so that a program loads only what it validates.
 */
export function createValidator(name: SchemaName): FindValidator {
  let validate: ValidateFunction | null = null;
  return () => {
    validate ??= createAjv().compile(readValidationSchema(name));
    return validate;
  };
}
