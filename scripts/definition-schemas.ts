import { readFileSync } from 'node:fs';
import { CUSTOM } from '../src/definitions/signature/schemes/custom-scheme.ts';
import { SCHEME_NAMES } from '../src/definitions/signature/schemes/schemes.ts';
import type { JsonSchema } from '../src/domain/json.ts';
import { AUTOMATION_FIELDS } from '../src/domain/resources/automation.ts';
import { definitionProperties } from '../src/domain/resources/fields.ts';
import { WEBHOOK_FIELDS } from '../src/domain/resources/webhook.ts';
import { describeProviderTriggers, isOfProviderTriggers } from './provider-trigger-schema.ts';

/** The keys of each definition file that follow from the table of its resource. */
const DERIVED: { readonly [schema: string]: { readonly [key: string]: JsonSchema } } = {
  webhook: deriveWebhookKeys(),
  automation: definitionProperties(AUTOMATION_FIELDS),
};

export const DERIVED_SCHEMAS = Object.keys(DERIVED);

function deriveWebhookKeys(): { [key: string]: JsonSchema } {
  const { signatureScheme, ...keys } = definitionProperties(WEBHOOK_FIELDS);
  return { ...keys, signatureScheme: { ...signatureScheme, enum: [...SCHEME_NAMES, CUSTOM].sort() } };
}

/** Path of a definition schema. */
export function schemaUrl(name: string): URL {
  return new URL(`../schemas/${name}.schema.json`, import.meta.url);
}

/**
 * The text of a definition schema: the file as it is, with the derived keys put into it, and the triggers of providers. What a table of
 * fields does not say stays as it is in the file: the keys of nested blocks, and rules that concern several keys.
 */
export function renderDefinitionSchema(name: string): string {
  const schema = JSON.parse(readFileSync(schemaUrl(name), 'utf8')) as DefinitionSchema;
  if (name === 'automation') schema.$defs = { ...omitProviderTriggers(schema.$defs!), ...describeProviderTriggers() };
  for (const [key, derived] of Object.entries(DERIVED[name]!)) {
    schema.properties[key] = { ...derived, ...keepRest(schema.properties[key], derived) };
  }
  return `${JSON.stringify(schema, null, 2)}\n`;
}

interface DefinitionSchema {
  properties: { [key: string]: JsonSchema };
  $defs?: { [name: string]: JsonSchema };
}

function omitProviderTriggers(definitions: { [name: string]: JsonSchema }): { [name: string]: JsonSchema } {
  return Object.fromEntries(Object.entries(definitions).filter(([name]) => !isOfProviderTriggers(name)));
}

const ANNOTATIONS = new Set(['title', 'description', 'type', 'enum', 'default', 'pattern', 'examples']);

function keepRest(existing: JsonSchema | undefined, derived: JsonSchema): JsonSchema {
  const entries = Object.entries(existing ?? {});
  return Object.fromEntries(entries.filter(([key]) => !ANNOTATIONS.has(key) && !(key in derived)));
}
