import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifySchemaCompiler } from 'fastify';

/**
 * Validates what is sent against the schemas of the routes. Unknown properties are refused, never removed in silence;
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
  return ({ schema, httpPart }) => (httpPart === 'body' ? strictAjv : coercingAjv).compile(schema);
}
