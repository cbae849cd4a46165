import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderOptions } from '../../scripts/config-reference.ts';
import { buildConfigSchema } from '../../scripts/config-schema.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { OPTIONS } from '../../src/config/options/options.ts';
import { createAjv } from '../../src/definitions/yaml/create-ajv.ts';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const PAGE = 'docs/reference/configuration.md';

interface SchemaOfKey {
  properties?: Record<string, SchemaOfKey>;
  items?: SchemaOfKey;
  examples: unknown[];
}

/** The schemas of all options at any depth. */
function listKeys(schema: object): SchemaOfKey[] {
  const { properties = {} } = schema as SchemaOfKey;
  return Object.values(properties).flatMap((child) => {
    const inner = child.properties ?? child.items?.properties;
    return inner === undefined ? [child] : listKeys({ properties: inner });
  });
}

describe('the table of options', () => {
  it('has examples for each key that the schema accepts', () => {
    const ajv = createAjv();
    const { $defs } = buildConfigSchema();
    const keys = listKeys(buildConfigSchema());
    expect(keys.length).toBe(Object.keys(OPTIONS).length);
    for (const key of keys) {
      expect(key).toMatchObject({ title: expect.any(String), description: expect.any(String) });
      expect(key.examples).not.toEqual([]);
      const validate = ajv.compile({ ...key, $defs });
      for (const example of key.examples) expect([example, validate(example)]).toEqual([example, true]);
    }
  });

  it('has a section of the reference page for each key', () => {
    const titles = [...renderOptions().matchAll(/^#### `(.*)`$/gm)].map(([, key]) => key);
    expect(titles.sort()).toEqual(Object.keys(OPTIONS).sort());
  });

  it('uses each environment variable for one option', () => {
    const variables = Object.values(OPTIONS).flatMap(({ env }) => env ?? []);
    expect(new Set(variables).size).toBe(variables.length);
  });
});

describe('schema and loader', () => {
  const validate = createAjv().compile(buildConfigSchema());
  const source = { type: 'repository', url: '/srv/a.git' };

  it('both accept the example of the page', async () => {
    const example = /```yaml\n([\s\S]*?)```/.exec(await read(PAGE))?.[1] ?? '';
    const overrides = parse(example);
    expect([validate(overrides), validate.errors]).toEqual([true, null]);
    await expect(loadConfig({ file: null, env: {}, overrides })).resolves.toMatchObject({
      factories: [{ name: 'payments' }],
    });
  });

  const cases: [isValid: boolean, document: unknown][] = [
    [true, {}],
    [true, { ingress: null, factories: null }],
    [true, { factories: [{ name: 'a', source }] }],
    [true, { factories: [{ name: 'a', source, runs: { executor: { type: 'command', command: ['x'] } } }] }],
    [false, { ingres: {} }],
    [false, { ingress: 1 }],
    [false, { ingress: { port: 65_536 } }],
    [false, { ingress: { port: '80' } }],
    [false, { ingress: { port: null } }],
    [false, { shutdownGrace: 10 }],
    [false, { shutdownGrace: '10' }],
    [false, { baseUrl: 'example.com' }],
    [false, { baseUrl: 'https://a.example?x' }],
    [false, { trustedProxies: ['proxy'] }],
    [true, { storage: { type: 'postgres', url: 'postgres://dockbell:secret@db.example.com/dockbell' } }],
    [false, { storage: { type: 'mysql' } }],
    [false, { dataDir: '~/x' }],
    [false, { factories: [{}] }],
    [false, { factories: [{ name: 'a' }] }],
    [false, { factories: [{ name: 'A', source }] }],
    [false, { factories: [{ name: 'a', source, runs: { executor: {} } }] }],
    [false, { factories: [{ name: 'a', source, runs: { executor: { type: 'command', command: 'x' } } }] }],
    [false, { factories: [{ name: 'a', source: { ...source, url: '-x' } }] }],
    [false, { factories: [{ name: 'a', source: { ...source, path: '/x' } }] }],
    [false, { factories: [{ name: 'a', source: { ...source, branch: '-x' } }] }],
  ];
  it.each(cases)('both return %s for %j', async (isValid, document) => {
    const isLoaded = await loadConfig({ file: null, env: {}, overrides: document as never }).then(
      () => true,
      () => false,
    );
    expect([validate(document), isLoaded]).toEqual([isValid, isValid]);
  });
});
