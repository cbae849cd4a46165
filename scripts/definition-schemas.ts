import { readFileSync } from 'node:fs';
import { CUSTOM } from '../src/definitions/signature/schemes/custom-scheme.ts';
import { SCHEME_NAMES } from '../src/definitions/signature/schemes/schemes.ts';
import type { JsonSchema } from '../src/domain/json.ts';
import { AUTOMATION_FIELDS } from '../src/domain/resources/automation.ts';
import { definitionProperties } from '../src/domain/resources/fields.ts';
import { WEBHOOK_FIELDS } from '../src/domain/resources/webhook.ts';
import { RULES, type RuleId } from '../src/domain/rules.ts';
import type { GeneratedFiles } from './generators.ts';
import { describeProviderTriggers, isOfProviderTriggers } from './provider-trigger-schema.ts';

/** The keys of each definition file that follow from the table of its resource. */
const DERIVED: { readonly [schema: string]: { readonly [key: string]: JsonSchema } } = {
  webhook: deriveWebhookKeys(),
  automation: definitionProperties(AUTOMATION_FIELDS),
};

function deriveWebhookKeys(): { [key: string]: JsonSchema } {
  const { signatureScheme, ...keys } = definitionProperties(WEBHOOK_FIELDS);
  return { ...keys, signatureScheme: { ...signatureScheme, enum: [...SCHEME_NAMES, CUSTOM].sort() } };
}

/** The schemas of definition files, of which a part follows from tables. */
export function makeDefinitionSchemas(): GeneratedFiles {
  const names = [...Object.keys(DERIVED), 'factory'];
  return new Map(
    names.map((name) => {
      const path = `schemas/${name}.schema.json`;
      const text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
      return [path, name === 'factory' ? renderFactorySchema(text) : renderDefinitionSchema(name, text)];
    }),
  );
}

/**
 * The text of a definition schema: the file as it is, with the derived keys put into it, and the triggers of providers. What a table of
 * fields does not say stays as it is in the file: the keys of nested blocks, and rules that concern several keys.
 */
function renderDefinitionSchema(name: string, text: string): string {
  const schema = JSON.parse(text) as DefinitionSchema;
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

/** `schemas/factory.schema.json` with the lint rules of the table as the keys that `lint` may have. */
function renderFactorySchema(schema: string): string {
  const rules = Object.entries(RULES).filter(([, { isLint }]) => isLint);
  const keys = rules.map(([rule, row]) => `        ${JSON.stringify(rule)}: ${JSON.stringify(describeKey(row))}`);
  return schema.replace(
    /("additionalProperties": \{ "elsewhere": true \} \},\n {6}"properties": \{)[\s\S]*?(\n? {0,6}\}\n {4}\}\n {2}\},)/,
    (_whole, begin: string) => `${begin}\n${keys.join(',\n')}\n      }\n    }\n  },`,
  );
}

function describeKey({ severity, description }: (typeof RULES)[RuleId]) {
  return { $ref: '#/$defs/severity', description, default: severity };
}
