import openapiTS, { astToString, type SchemaObject } from 'openapi-typescript';
import ts from 'typescript';
import { createAdminServer } from '../src/api/create-admin-server.ts';
import { createFakeAdminServices } from '../test/helpers/admin-services.ts';

const HEAD = `// Generated from the OpenAPI document of the management API by scripts/generate-api-types.ts:
// run npx tsx scripts/generate-api-types.ts after a change of a route or a schema.

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
/** Any JSON object. */
export type JsonObject = { [key: string]: Json };
`;

/** The whole file src/api-types/openapi.d.ts: types of what the management API takes and answers, for its clients. */
export async function renderApiTypes(): Promise<string> {
  const app = createAdminServer(createFakeAdminServices());
  await app.ready();
  const document = app.swagger();
  await app.close();
  return `${HEAD}\n${astToString(await openapiTS(document as never, { transform: nameJson }))}`;
}

const SAYS_NOTHING = new Set(['description', 'default', 'examples']);

/** Without it, "any JSON value" would be `unknown` and "any object" one without keys. */
function nameJson(schema: SchemaObject): ts.TypeNode | undefined {
  const { type, additionalProperties = true, ...more } = schema as Record<string, unknown>;
  if (additionalProperties !== true || Object.keys(more).some((key) => !SAYS_NOTHING.has(key))) return undefined;
  if (type === undefined) return nameType('Json');
  const types = [type].flat();
  if (!types.includes('object') || types.some((one) => one !== 'object' && one !== 'null')) return undefined;
  const nothing = types.includes('null') ? [ts.factory.createLiteralTypeNode(ts.factory.createNull())] : [];
  return ts.factory.createUnionTypeNode([nameType('JsonObject'), ...nothing]);
}

function nameType(name: string): ts.TypeNode {
  return ts.factory.createTypeReferenceNode(name);
}
