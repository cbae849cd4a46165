import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FastifySchemaCompiler } from 'fastify';

/**
 * Validates what is sent against the schemas of the routes. Unknown properties are rejected, never silently removed;
 * only queries are coerced, since they are text. Response schemas describe, they do not filter.
 */
export function createRequestValidator(): FastifySchemaCompiler<object> {
  // Checking the schemas themselves would take half of the time to start; a test of the OpenAPI document does it.
  const options = {
    validateSchema: false,
    allErrors: true,
    // Findings come with their schema, so that a choice between forms can be described.
    verbose: true,
    removeAdditional: false,
    useDefaults: true,
    strict: true,
    allowUnionTypes: true,
  };
  const strictAjv = new Ajv2020({ ...options, coerceTypes: false });
  const coercingAjv = new Ajv2020({ ...options, coerceTypes: true });
  return ({ schema, httpPart }) => compileAtFirstUse(httpPart === 'body' ? strictAjv : coercingAjv, schema);
}

/** Compiling the schemas of all routes before the first request would take a tenth of the daemon's start. */
function compileAtFirstUse(ajv: Ajv2020, schema: object): ReturnType<FastifySchemaCompiler<object>> {
  let compiled: ValidateFunction | null = null;
  return (value) => {
    compiled ??= ajv.compile(schema);
    return compiled(value) ? { value } : { error: compiled.errors ?? [] };
  };
}
