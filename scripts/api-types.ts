import openapiTS, { astToString, type SchemaObject } from 'openapi-typescript';
import ts from 'typescript';
import type { ApiDocument } from '../src/api/openapi/add-examples.ts';
import { buildApiDocument } from './api-document.ts';
import { renderOperations } from './api-operations.ts';
import type { GeneratedFiles } from './generators.ts';

const HEAD = `// Generated from the OpenAPI document of the management API by scripts/api-types.ts.

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
/** Any JSON object. */
export type JsonObject = { [key: string]: Json };
`;

/** The OpenAPI document for those who have the package and no daemon, and types of what the API takes and answers. */
export async function makeApiDocument(): Promise<GeneratedFiles> {
  const document = await buildApiDocument();
  return new Map([
    ['schemas/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
    ['src/client/openapi.d.ts', await renderApiTypes(document)],
  ]);
}

/** What a diff shows of the API: its operations, and the names of fields that `--fields` of the command line takes. */
export async function makeApiSummary(): Promise<GeneratedFiles> {
  const document = await buildApiDocument();
  return new Map([
    ['schemas/operations.txt', renderOperations(document as ApiDocument)],
    ['src/client/fields.ts', renderFieldNames(document)],
  ]);
}

async function renderApiTypes(document: object): Promise<string> {
  const types = await openapiTS(withoutExamples(document) as never, { transform: nameJson });
  return `${HEAD}\n${astToString(types)}`;
}

/** A type with a page of JSON above it would be hard to read. */
function withoutExamples(document: object): object {
  const { components, ...more } = document as { components: { schemas: Record<string, object> } };
  const entries = Object.entries(components.schemas).map(([name, schema]) => [
    name,
    { ...schema, examples: undefined },
  ]);
  return { ...more, components: { ...components, schemas: Object.fromEntries(entries) } };
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

/** Results of the command line, and the schemas that they have. */
const RESULT_SCHEMAS = [
  'Factory',
  'Webhook',
  'Automation',
  'Delivery',
  'Run',
  'RunArtifact',
  'Reconciliation',
  'PullRequest',
  'Replay',
  'Revision',
  'Secret',
  'SignatureScheme',
  'Worker',
  'Alert',
  'Token',
  'User',
  'Session',
  'AuditEntry',
] as const;

function renderFieldNames(document: object): string {
  const { schemas } = (document as { components: { schemas: Record<string, Schema> } }).components;
  const rows = RESULT_SCHEMAS.map((name) => renderNames(name, listFields(schemas[name]!)));
  rows.push(renderNames('ActivityHour', listFields(schemas.Activity!.properties!.buckets!.items!)));
  return `${FIELDS_HEAD}${rows.join('')}} as const;\n`;
}

const FIELDS_HEAD = `// Generated from the OpenAPI document of the management API by scripts/api-types.ts: npm run generate

/** Names of the fields of each result: its keys, and those of the objects in it, such as commit.author. */
export const FIELDS = {
`;

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
}

/** The keys of an object, each followed by those of the object that it holds. */
function listFields({ properties = {} }: Schema): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => [
    name,
    ...Object.keys(schema.properties ?? {}).map((key) => `${name}.${key}`),
  ]);
}

/** In the format of biome: on one line if it is not longer than 120 characters. */
function renderNames(key: string, names: readonly string[]): string {
  const line = `  ${key}: [${names.map((name) => `'${name}'`).join(', ')}],\n`;
  if (line.length <= 121) return line;
  return `  ${key}: [\n${names.map((name) => `    '${name}',\n`).join('')}  ],\n`;
}
