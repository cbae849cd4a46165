import { readFileSync } from 'node:fs';
import { CUSTOM } from '../src/definitions/signature/schemes/custom-scheme.ts';
import { SCHEME_NAMES } from '../src/definitions/signature/schemes/schemes.ts';
import type { JsonSchema } from '../src/domain/json.ts';
import { AUTOMATION_FIELDS } from '../src/domain/resources/automation.ts';
import { definitionProperties } from '../src/domain/resources/fields.ts';
import { WEBHOOK_FIELDS } from '../src/domain/resources/webhook.ts';
import { RULES } from '../src/domain/rules.ts';
import type { GeneratedFiles } from './generators.ts';
import { describeProviderTriggers, isOfProviderTriggers } from './provider-trigger-schema.ts';
import { renderJson } from './render-json.ts';

const AUTOMATION_KEYS = definitionProperties(AUTOMATION_FIELDS);

function deriveWebhookKeys(): { [key: string]: JsonSchema } {
  const { signatureScheme, ...keys } = definitionProperties(WEBHOOK_FIELDS);
  return { ...keys, signatureScheme: { ...signatureScheme, enum: [...SCHEME_NAMES, CUSTOM].sort() } };
}

/**
 * The schemas of definition files, of which a part follows from tables: each file as it is, with the derived parts put into it. What a
 * table of fields does not say stays as it is in the file: the keys of nested blocks, and rules that concern several keys.
 */
export function makeDefinitionSchemas(): GeneratedFiles {
  return new Map(
    Object.entries(DERIVATIONS).map(([name, derive]) => {
      const path = `schemas/${name}.schema.json`;
      const schema = JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')) as DefinitionSchema;
      return [path, renderJson(derive(schema))];
    }),
  );
}

interface DefinitionSchema {
  properties: { [key: string]: JsonSchema };
  $defs: { [name: string]: JsonSchema };
}

const DERIVATIONS: { readonly [schema: string]: (schema: DefinitionSchema) => JsonSchema } = {
  webhook: (schema) => putKeys(schema, deriveWebhookKeys()),
  automation: ({ $defs, ...schema }) =>
    putKeys({ ...schema, $defs: { ...omitProviderTriggers($defs), ...describeProviderTriggers() } }, AUTOMATION_KEYS),
  factory: (schema) => putKeys(schema, { lint: { ...schema.properties.lint, properties: describeLintRules() } }),
};

function putKeys(schema: DefinitionSchema, derived: { readonly [key: string]: JsonSchema }): JsonSchema {
  const keys = Object.entries(derived).map(([key, value]) => [
    key,
    { ...value, ...keepRest(schema.properties[key], value) },
  ]);
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(keys) } };
}

function omitProviderTriggers(definitions: { [name: string]: JsonSchema }): { [name: string]: JsonSchema } {
  return Object.fromEntries(Object.entries(definitions).filter(([name]) => !isOfProviderTriggers(name)));
}

const ANNOTATIONS = new Set(['title', 'description', 'type', 'enum', 'default', 'pattern', 'examples']);

function keepRest(existing: JsonSchema | undefined, derived: JsonSchema): JsonSchema {
  const entries = Object.entries(existing ?? {});
  return Object.fromEntries(entries.filter(([key]) => !ANNOTATIONS.has(key) && !(key in derived)));
}

/** The lint rules of the table, as the keys that `lint` of `factory.yaml` may have. */
function describeLintRules(): { [rule: string]: JsonSchema } {
  const rules = Object.entries(RULES).filter(([, { isLint }]) => isLint);
  return Object.fromEntries(
    rules.map(([rule, { severity, description }]) => [
      rule,
      { $ref: '#/$defs/severity', description, default: severity },
    ]),
  );
}
