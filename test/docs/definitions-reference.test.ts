import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { CUSTOM } from '../../src/definitions/signature/schemes/custom-scheme.ts';
import { SCHEME_NAMES } from '../../src/definitions/signature/schemes/schemes.ts';
import { readSchema, SCHEMA_KINDS, SCHEMA_NAMES, type SchemaKind } from '../../src/definitions/yaml/schemas.ts';
import { RULES } from '../../src/domain/rules.ts';
import { validateFiles } from '../helpers/definition-tree.ts';

interface Schema {
  title?: string;
  description?: string;
  type?: string | string[];
  enum?: string[];
  const?: string;
  default?: unknown;
  examples?: unknown[];
  required?: string[];
  properties?: { [key: string]: Schema };
  items?: Schema;
  $ref?: string;
  $defs?: { [name: string]: Schema };
}

const PAGES = new URL('../../docs/reference/', import.meta.url);
const readPage = (name: string) => readFileSync(new URL(name, PAGES), 'utf8');

/** The text between `<!-- name -->` and `<!-- end -->` is generated. UPDATE_DOCS=1 writes it. */
function expectGenerated(page: string, name: string, generated: string): void {
  const text = readPage(page);
  const parts = new RegExp(`(<!-- ${name} -->\n)([\\s\\S]*?)(<!-- end -->)`).exec(text);
  expect(parts, `${page} has no place for "${name}"`).not.toBeNull();
  const [whole, begin, between, end] = parts!;
  if (process.env.UPDATE_DOCS)
    writeFileSync(
      new URL(page, PAGES),
      text.replace(whole, () => `${begin}${generated}${end}`),
    );
  else expect(between).toBe(generated);
}

const cell = (text: string) => text.replaceAll('|', '\\|');

function describeValues(schema: Schema): string {
  if (schema.const) return `\`${schema.const}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  const names: { [type: string]: string } = { array: 'list', object: 'map', integer: 'whole number' };
  return [schema.type ?? []]
    .flat()
    .map((type) => names[type] ?? type)
    .join(' or ');
}

function renderKeys(root: Schema, schema: Schema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([key, declared]) => {
    const value = resolve(root, declared);
    const needed = schema.required?.includes(key)
      ? 'required'
      : value.default === undefined
        ? ''
        : `\`${value.default}\``;
    return `| \`${key}\` | ${cell(describeValues(value))} | ${needed} | ${cell(value.description ?? '')} |\n`;
  });
  return `| key | value | default | meaning |\n| --- | --- | --- | --- |\n${rows.join('')}`;
}

function resolve(root: Schema, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : root.$defs![schema.$ref.replace('#/$defs/', '')]!;
}

/** All schemas of properties and list entries inside a document, with their paths. */
function listSchemas(schema: Schema, path: string): [string, Schema][] {
  const children = [
    ...Object.entries(schema.properties ?? {}).map(([key, child]) => [`${path}.${key}`, child] as const),
    ...Object.entries(schema.$defs ?? {}).map(([key, child]) => [`${path}#${key}`, child] as const),
    ...(schema.items === undefined ? [] : [[`${path}[]`, schema.items] as const]),
  ];
  return children.flatMap(([at, child]) => (child.$ref ? [] : [[at, child], ...listSchemas(child, at)]));
}

/** What the examples of samples refer to. */
const SAMPLED = {
  'webhooks/github.yaml': 'authMode: signature\nsignatureScheme: github\nsecretName: A\n',
  'automations/triage-issue/automation.md':
    '---\ntriggers:\n  - { provider: github, event: issue_labeled }\n---\nDo it.\n',
};

describe('the reference of definition files', () => {
  it.each(SCHEMA_KINDS)('lists the keys of %s as its JSON Schema has them', (kind) => {
    const schema = readSchema(kind) as Schema;
    expectGenerated(`${kind}.md`, `keys of ${kind}`, renderKeys(schema, schema));
  });

  it('lists the keys of a signature block and its timestamp', () => {
    const schema = readSchema('webhook') as Schema;
    const block = schema.properties!.signature!;
    expectGenerated('webhook.md', 'keys of webhook signature', renderKeys(schema, block));
    expectGenerated(
      'webhook.md',
      'keys of webhook signature timestamp',
      renderKeys(schema, block.properties!.timestamp!),
    );
  });

  it('lists the keys of a webhook trigger and its filter', () => {
    const schema = readSchema('automation') as Schema;
    const trigger = schema.$defs!.webhookTrigger!;
    expectGenerated('automation.md', 'keys of automation webhookTrigger', renderKeys(schema, trigger));
    expectGenerated(
      'automation.md',
      'keys of automation webhookTrigger filter',
      renderKeys(schema, trigger.properties!.filter!),
    );
  });

  it.each(SCHEMA_KINDS)('%s.md has its sections in the fixed order', (kind) => {
    const titles = [...readPage(`${kind}.md`).matchAll(/^## (.*)$/gm)].map((match) => match[1]);
    expect(titles).toEqual(['Example', 'Keys', 'Usage', 'Status']);
  });

  it.each(SCHEMA_KINDS)('every example on %s.md is valid', (kind) => {
    const examples = [...readPage(`${kind}.md`).matchAll(/^```(?:yaml|markdown|json) (\S+)\n([\s\S]*?)^```$/gm)];
    expect(examples.length).toBeGreaterThan(0);
    expect(readPage(`${kind}.md`)).not.toMatch(/^```ya?ml$/m);
    const files = Object.fromEntries(examples.map(([, path, text]) => [path!, text!]));
    const webhooks = { 'webhooks/sentry.yaml': 'authMode: signature\nsignatureScheme: sentry\nsecretName: A\n' };
    const sampled = kind === 'sample' ? SAMPLED : {};
    expect(validateFiles({ ...webhooks, ...sampled, ...files }).diagnostics).toEqual([]);
  });
});

describe('the JSON Schemas', () => {
  it.each(SCHEMA_NAMES)('that of %s is valid under the draft that it declares', (name) => {
    const schema = readSchema(name);
    const ajv = String(schema.$schema).includes('draft-07') ? new Ajv() : new Ajv2020();
    expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
  });

  it.each(SCHEMA_KINDS)('%s has a title, a description and examples on every key', (kind) => {
    const schema = readSchema(kind) as unknown as Schema & { $schema: string; $id: string };
    // Tools that check front matter support no later draft than 7.
    const draft =
      kind === 'automation'
        ? 'http://json-schema.org/draft-07/schema#'
        : 'https://json-schema.org/draft/2020-12/schema';
    expect(schema.$schema).toBe(draft);
    expect(schema.$id).toBe(`urn:dockbell:schema:${kind}`);
    for (const [path, part] of [[kind, schema] as [string, Schema], ...listSchemas(schema, kind)]) {
      expect(part.title, path).toBeTruthy();
      expect(part.description, path).toBeTruthy();
      expect(part.examples?.length, path).toBeGreaterThan(0);
    }
  });

  it('lists the signature schemes that exist', () => {
    const schema = readSchema('webhook') as Schema;
    expect(schema.properties!.signatureScheme!.enum).toEqual([...SCHEME_NAMES, CUSTOM].sort());
  });

  it('refers only to existing rules', () => {
    const rules = (kind: SchemaKind) =>
      [...JSON.stringify(readSchema(kind)).matchAll(/"rule":"([^"]+)"/g)].map((match) => match[1]!);
    for (const rule of SCHEMA_KINDS.flatMap(rules)) expect(RULES).toHaveProperty([rule]);
  });
});
