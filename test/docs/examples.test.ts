import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load-config.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { validateFiles } from '../helpers/definition-tree.ts';
import { listDocuments, listFences, readDocument } from '../helpers/documents.ts';

const FENCES = listDocuments().flatMap(listFences);
/** Each of these has a test of its own for the examples of its page. */
const ELSEWHERE =
  /^docs\/reference\/(webhook|automation|factory|sample|configuration|payload-filter|signature-schemes)\.md$/;
const CONFIGURATIONS = FENCES.filter(
  ({ title, text }) => title === 'dockbell.yaml' || text.startsWith('# dockbell.yaml'),
);
const JSON_EXAMPLES = FENCES.filter(({ language }) => language === 'json');

const validateConfig = new Ajv2020({ allowUnionTypes: true }).compile(
  JSON.parse(readDocument('schemas/config.schema.json')) as JsonObject,
);

describe('examples in documents', () => {
  it('of YAML say what they are, so that they can be checked', () => {
    const nameless = FENCES.filter(
      (fence) =>
        fence.language === 'yaml' &&
        fence.title === '' &&
        !CONFIGURATIONS.includes(fence) &&
        !ELSEWHERE.test(fence.document),
    );
    expect(nameless.map(({ document, text }) => `${document}: ${text.split('\n')[0]}`)).toEqual([]);
  });

  it.each(CONFIGURATIONS)('$document: the configuration is one', async ({ text }) => {
    const overrides = parse(text) as JsonObject;
    expect([validateConfig(overrides), validateConfig.errors]).toEqual([true, null]);
    const env = { GIT_TOKEN: 'a-token' };
    await expect(loadConfig({ file: null, env, overrides })).resolves.toBeTruthy();
  });

  it('of definitions in the README are a factory without findings', () => {
    const files = listFences('README.md').filter(({ title }) => /^(webhooks|automations)\//.test(title));
    expect(files.length).toBe(2);
    const { diagnostics, declared } = validateFiles(Object.fromEntries(files.map(({ title, text }) => [title, text])));
    expect(diagnostics).toEqual([]);
    expect(declared).toEqual({ webhooks: ['internal-ci'], automations: ['triage-build-failure'] });
  });

  it.each(JSON_EXAMPLES)('$document: the JSON is JSON', ({ text }) => {
    expect(() => JSON.parse(text)).not.toThrow();
  });
});
