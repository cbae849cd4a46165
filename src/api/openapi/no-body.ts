import type { JsonSchema } from '../../core/json.ts';

/** For routes that take no body: none, `null` or `{}`. Omitted in the OpenAPI document. */
export const noBody: JsonSchema = { type: ['object', 'null'], additionalProperties: false };
