import { OPTION_TREE, type OptionNode, type OptionSection } from '../src/config/option-tree.ts';
import { describeType } from '../src/config/option-type.ts';
import type { Option, OptionType } from '../src/config/options/option.ts';
import { TEXT_FORMATS } from '../src/config/text-formats.ts';
import { DURATION_PATTERN } from '../src/domain/words/quantities.ts';
import type { GeneratedFiles } from './generators.ts';
import { renderJson } from './render-json.ts';

/** The schema of `dockbell.yaml`. */
export function makeConfigSchema(): GeneratedFiles {
  return new Map([['schemas/config.schema.json', renderJson(buildConfigSchema())]]);
}

type Schema = Record<string, unknown>;

const FROM_ENVIRONMENT = { $ref: '#/$defs/fromEnvironment' };

const EXAMPLE = {
  factories: [{ name: 'payments', source: { type: 'repository', url: '../payments-factory.git' } }],
};

/**
 * The JSON Schema of `dockbell.yaml`, for editors and for the daemon. Editors see references to environment variables;
 * the daemon validates after it has replaced them.
 */
export function buildConfigSchema(): Schema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:dockbell:schema:config',
    ...buildSection(OPTION_TREE),
    examples: [EXAMPLE],
    $defs: {
      fromEnvironment: {
        title: 'From the environment',
        description: 'Text with references to environment variables, which the daemon replaces at start.',
        type: 'string',
        pattern: '\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}',
      },
    },
  };
}

function buildSection({ title, description, children }: OptionSection): Schema {
  const entries = [...children];
  const required = entries.filter(([, node]) => isRequired(node)).map(([name]) => name);
  return {
    title,
    description,
    // A section whose keys are all commented out is `null` in YAML, and as good as absent.
    type: required.length > 0 ? 'object' : ['object', 'null'],
    additionalProperties: false,
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(entries.map(([name, node]) => [name, buildNode(node)])),
    ...buildConditions(entries),
  };
}

/** Keys that belong to one `type` of their section: unknown with another, and maybe required with theirs. */
function buildConditions(entries: [string, OptionNode][]): Schema {
  const typed = entries.flatMap(([name, node]) =>
    node.kind === 'option' && node.option.onlyWith !== undefined
      ? [{ name, ...node.option, type: node.option.onlyWith }]
      : [],
  );
  const types = [...new Set(typed.map(({ type }) => type))];
  if (types.length === 0) return {};
  const allOf = types.map((type) => {
    const own = typed.filter((option) => option.type === type);
    const required = own.filter((option) => option.required === true).map(({ name }) => name);
    return {
      // With a type that comes from the environment, an editor cannot know.
      if: { required: ['type'], properties: { type: { const: type } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required },
      else: {
        if: { required: ['type'], properties: { type: { not: FROM_ENVIRONMENT } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { properties: Object.fromEntries(own.map(({ name }) => [name, forbidKey(name, type)])) },
      },
    };
  });
  return { allOf };
}

function forbidKey(name: string, type: string): Schema {
  const message = `Unknown key "${name}": it belongs to type: ${type}.`;
  return { not: {}, 'x-says': { not: { message, hint: 'Remove the key, or change the type.' } } };
}

function isRequired(node: OptionNode): boolean {
  if (node.kind === 'option') return node.option.required === true && node.option.onlyWith === undefined;
  if (node.kind === 'sections' || node.section.isOptional) return false;
  return [...node.section.children.values()].some(isRequired);
}

function buildNode(node: OptionNode): Schema {
  if (node.kind === 'section') return buildSection(node.section);
  if (node.kind === 'sections') {
    const { title, description } = node.item;
    return { title, description, type: ['array', 'null'], items: buildSection(node.item) };
  }
  return buildOption(node.option);
}

function buildOption({ title, type, default: fallback, required, description, examples }: Option): Schema {
  const hasDefault = fallback !== null;
  return {
    title,
    description,
    // A key without a value counts as absent if there is no default that it could mean.
    ...(hasDefault || required ? buildType(type) : orNull(buildType(type))),
    'x-expected': describeType(type),
    ...(hasDefault ? { default: fallback } : {}),
    examples,
  };
}

function orNull(schema: Schema): Schema {
  if (Array.isArray(schema.anyOf)) return { anyOf: [...schema.anyOf, { type: 'null' }] };
  return { ...schema, type: [schema.type, 'null'] };
}

function buildType(type: OptionType): Schema {
  switch (type.kind) {
    case 'text':
      return orFromEnvironment({ type: 'string', pattern: TEXT_FORMATS[type.format].pattern });
    case 'list':
      return orFromEnvironment({
        type: 'array',
        items: orFromEnvironment({ type: 'string', pattern: TEXT_FORMATS[type.format].pattern }),
      });
    case 'path':
      return { type: 'string', pattern: '^[^~\\u0000][^\\u0000]*$' };
    case 'repository':
      return { type: 'string', pattern: '^[^~\\u0000-][^\\u0000]*$' };
    case 'command':
      return { type: 'array', minItems: 1, items: ARGUMENT, prefixItems: [PROGRAM] };
    case 'boolean':
      return orFromEnvironment({ type: 'boolean' });
    case 'integer':
      return orFromEnvironment({ type: 'integer', minimum: type.min, maximum: type.max });
    case 'duration':
      return orFromEnvironment({ type: 'string', pattern: DURATION_PATTERN });
    case 'choice':
      return orFromEnvironment({ enum: [...type.values] });
    case 'toggle':
      return orFromEnvironment(SWITCH);
    case 'threshold':
      return { anyOf: [SWITCH, buildThreshold(type), FROM_ENVIRONMENT] };
  }
}

const SWITCH: Schema = { enum: ['on', 'off', true, false] };

function buildThreshold({ of, min, max }: Extract<OptionType, { kind: 'threshold' }>): Schema {
  if (of === 'duration') return { type: 'string', pattern: DURATION_PATTERN };
  return { type: 'integer', minimum: min, maximum: max };
}

const ARGUMENT = { type: 'string', pattern: '^[^\\u0000]*$', patternErrorMessage: 'text without NUL characters' };
const PROGRAM = { ...ARGUMENT, pattern: '^[^\\u0000]+$', patternErrorMessage: 'the name or the path of a program' };

function orFromEnvironment(schema: Schema): Schema {
  return { anyOf: [schema, FROM_ENVIRONMENT] };
}
