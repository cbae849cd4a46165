import { readdirSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load-config.ts';
import { TRIGGER_PROVIDERS } from '../../src/definitions/triggers/providers.ts';
import { createAjv } from '../../src/definitions/yaml/create-ajv.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { validateFiles } from '../helpers/definition-tree.ts';
import { listFences, listPages, locate, readDocument } from '../helpers/documents.ts';

const FENCES = listPages().flatMap(listFences);
/** The examples of these pages have separate tests. */
const ELSEWHERE =
  /^docs\/reference\/(webhook|automation|factory|sample|configuration|payload-filter|signature-schemes)\.md$/;
const CONFIGURATIONS = FENCES.filter(
  ({ title, text }) => title === 'dockbell.yaml' || text.startsWith('# dockbell.yaml'),
);
const JSON_EXAMPLES = FENCES.filter(({ language }) => language === 'json');

const validateConfig = createAjv().compile(JSON.parse(readDocument('schemas/config.schema.json')) as JsonObject);

/** The sections of rules also contain wrong examples. A separate test checks them. */
const DEFINITIONS = FENCES.filter(
  ({ document, title }) => document !== 'docs/reference/diagnostics.md' && kindOf(title) !== null,
);
const LOOKS_LIKE_DEFINITION = /^(?:authMode|signatureScheme|secretName|deliveryIdHeader|triggers|schemaVersion):/m;

function kindOf(path: string): 'webhook' | 'automation' | 'factory' | null {
  if (/(?:^|\/)webhooks\/[^/]+\.yaml$/.test(path)) return 'webhook';
  if (/(?:^|\/)automation\.md$/.test(path)) return 'automation';
  return /(?:^|\/)factory\.yaml$/.test(path) ? 'factory' : null;
}

/** The YAML of a definition (for an automation, its front matter) and its value. */
function readDefinition(path: string, text: string): { yaml: string; value: JsonObject } {
  const yaml = kindOf(path) === 'automation' ? /^---\n([\s\S]*?)^---$/m.exec(text)![1]! : text;
  return { yaml, value: parse(yaml) as JsonObject };
}

const validators = new Map<string, ValidateFunction>();

/** The errors of a generic JSON Schema validator for a value. */
function checkAsEditor(kind: string, value: JsonObject): unknown[] {
  const validate = validators.get(kind) ?? compileSchema(kind);
  validators.set(kind, validate);
  return validate(value) ? [] : (validate.errors ?? []);
}

function compileSchema(kind: string): ValidateFunction {
  const schema = JSON.parse(readDocument(`schemas/${kind}.schema.json`)) as { $schema: string };
  const options = { strict: false, allErrors: true, validateFormats: false };
  return (schema.$schema.includes('draft-07') ? new Ajv(options) : new Ajv2020(options)).compile(schema);
}

/** The files of the webhooks that an automation uses, or that serve its provider triggers, because examples need not contain them. */
function createNamedWebhooks(value: JsonObject): { [path: string]: string } {
  const names = [...JSON.stringify(value.triggers ?? []).matchAll(/"webhooks":(\[[^\]]*\])/g)].flatMap(
    ([, list]) => JSON.parse(list!) as string[],
  );
  const providers = [...JSON.stringify(value.triggers ?? []).matchAll(/"provider":"(\w+)"/g)]
    .map(([, provider]) => provider!)
    .filter((provider) => TRIGGER_PROVIDERS.has(provider));
  return Object.fromEntries([
    ...names.map((name) => [`webhooks/${name}.yaml`, 'secretName: A_SECRET\n']),
    ...providers.map((provider) => [`webhooks/any-${provider}.yaml`, `secretName: A_SECRET\nserves: ${provider}\n`]),
  ]);
}

function listFiles(folder: string): string[] {
  return readdirSync(locate(folder), { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
}

describe('examples in documents', () => {
  it('of YAML have a file name, so that they can be checked', () => {
    const nameless = FENCES.filter(
      (fence) =>
        fence.language === 'yaml' &&
        fence.title === '' &&
        !CONFIGURATIONS.includes(fence) &&
        !ELSEWHERE.test(fence.document),
    );
    expect(nameless.map(({ document, text }) => `${document}: ${text.split('\n')[0]}`)).toEqual([]);
  });

  it.each(CONFIGURATIONS)('$document: the configuration is valid', async ({ text }) => {
    const overrides = parse(text) as JsonObject;
    expect([validateConfig(overrides), validateConfig.errors]).toEqual([true, null]);
    const env = { GIT_TOKEN: 'a-token' };
    await expect(loadConfig({ file: null, env, overrides })).resolves.toBeTruthy();
  });

  it.each(DEFINITIONS)('$document: $title is valid', ({ title, text }) => {
    const { yaml, value } = readDefinition(title, text);
    expect(checkAsEditor(kindOf(title)!, value), yaml).toEqual([]);
    const { diagnostics } = validateFiles({ ...createNamedWebhooks(value), [title]: text });
    expect(diagnostics.filter(({ file }) => file === title)).toEqual([]);
  });

  it('of definitions exist in large number and have a file name', () => {
    expect(DEFINITIONS.length).toBeGreaterThan(60);
    const nameless = FENCES.filter(({ title, text }) => title === '' && LOOKS_LIKE_DEFINITION.test(text));
    expect(nameless.map(({ document, text }) => `${document}: ${text.split('\n')[0]}`)).toEqual([]);
    for (const text of ['authMode: token\n', '---\ntriggers: []\n---\n']) expect(text).toMatch(LOOKS_LIKE_DEFINITION);
  });

  it('of definitions in the README are a factory without findings', () => {
    const files = listFences('README.md').filter(({ title }) => /^(webhooks|automations)\//.test(title));
    expect(files.length).toBe(2);
    const { diagnostics, declared } = validateFiles(Object.fromEntries(files.map(({ title, text }) => [title, text])));
    expect(diagnostics).toEqual([]);
    expect(declared).toEqual({ webhooks: ['internal-ci'], automations: ['triage-build-failure'] });
  });

  it.each(['example-factory', 'test/fixtures/valid'])('below %s are valid under the schemas for editors', (folder) => {
    const files = listFiles(folder).filter((path) => kindOf(path) !== null);
    expect(files.length).toBeGreaterThan(3);
    for (const path of files) {
      const { value } = readDefinition(path, readDocument(`${folder}/${path}`));
      expect([path, checkAsEditor(kindOf(path)!, value)]).toEqual([path, []]);
    }
  });

  it.each(JSON_EXAMPLES)('$document: the JSON is valid', ({ text }) => {
    expect(() => JSON.parse(text)).not.toThrow();
  });
});
