// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tests are about references to variables
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config.ts';

type Executor = Config['factories'][number]['runs']['executor'];
type CommandConfig = Extract<Executor, { type: 'command' }>;

import type { ConfigRequest } from '../../src/config/load-config.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import type { AppError } from '../../src/domain/errors.ts';
import type { JsonObject } from '../../src/domain/json.ts';

const DAY_MS = 86_400_000;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dockbell-config-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

type Options = { env?: ConfigRequest['env']; overrides?: JsonObject };

async function load(text: string, { env = {}, overrides = {} }: Options = {}): Promise<Config> {
  const file = join(folder, 'dockbell.yaml');
  await writeFile(file, text);
  return loadConfig({ file, env, overrides, workingDir: '/elsewhere' });
}

/** The lines of the error, without the folder of the file. */
async function errorsOf(text: string, options: Options = {}): Promise<string[]> {
  const error = await load(text, options).then(
    () => expect.fail('it was accepted'),
    (thrown: AppError) => thrown,
  );
  expect(error.code).toBe('config_invalid');
  return error.message.replaceAll(`${folder}/`, '').split('\n').slice(1);
}

const factory = (more = '') =>
  `factories:\n  - name: payments\n    source: { type: repository, url: ../payments.git }\n${more}`;

/** The configuration of an OpenID provider in one line. `keys` follow the client ID and may start with another issuer. */
const oidc = (keys = '', groups = 'groups: [{ name: a, role: owner }]') => {
  const issuer = keys.startsWith('issuer') ? [] : ['issuer: https://login.example.com'];
  return `admin: { oidc: { ${[...issuer, 'clientId: dockbell', keys, groups].filter((part) => part !== '').join(', ')} } }`;
};

describe('defaults', () => {
  it.each([
    ['an empty file', ''],
    ['empty sections', 'ingress:\nlimits: {}\nfactories:\n'],
  ])('stand in for %s', async (_name, text) => {
    expect(await load(text)).toEqual({
      file: join(folder, 'dockbell.yaml'),
      warnings: [],
      backup: null,
      baseUrl: null,
      dataDir: join(folder, '.dockbell'),
      runsDir: join(folder, '.dockbell/runs'),
      masterKeyFile: join(folder, '.dockbell/master.key'),
      ingress: { host: '127.0.0.1', port: 8787 },
      admin: {
        host: '127.0.0.1',
        port: 8788,
        url: null,
        oidc: null,
        openMetrics: false,
        allowedHosts: [],
        sessionIdleMs: 30 * 60_000,
        sessionLifetimeMs: 12 * 60 * 60_000,
      },
      storage: { type: 'sqlite', url: null, pool: 10, s3: null },
      replica: { adminUrl: null, name: null, runLeaseMs: 120_000 },
      telemetry: { otlpEndpoint: null, samplePercent: 100 },
      trustedProxies: [],
      limits: {
        deliveriesPerMinute: 60,
        providerDeliveriesPerMinute: 600,
        failedAuthPerMinute: 30,
        bodyBytes: 262_144,
        loopGuardRuns: 10,
        loopGuardWindowMs: 600_000,
        webhooksPerFactory: 20,
      },
      retention: {
        deliveriesMs: 7 * DAY_MS,
        minDeliveries: 50,
        identitiesMs: 90 * DAY_MS,
        runsMs: 30 * DAY_MS,
        auditMs: 365 * DAY_MS,
        secretVersionsMs: 30 * DAY_MS,
        runBytes: 10 * 1024 ** 3,
      },
      log: { level: 'info' },
      drainMs: 600_000,
      shutdownGraceMs: 10_000,
      alerts: {
        groupWaitMs: 30_000,
        intervalMs: 30_000,
        repeatIntervalMs: 4 * 60 * 60_000,
        resolveAfterMs: 120_000,
        rules: {
          applyFailed: true,
          backupOverdue: true,
          loopGuard: true,
          deadLetter: 10,
          disk: 10,
          failureRate: false,
          notifyFailing: 15 * 60_000,
          probe: 15 * 60_000,
          queueAge: 15 * 60_000,
          rateLimited: 1,
          rejectionBurst: 10,
          runFailed: 1,
          silent: true,
          tokenExpiring: 14 * DAY_MS,
        },
        targets: [],
      },
      factories: [],
    });
  });

  it('need no file, and are then relative to the working folder', async () => {
    const config = await loadConfig({ file: null, env: {}, workingDir: folder });
    expect([config.file, config.dataDir]).toEqual([null, join(folder, '.dockbell')]);
  });

  it('fill in a factory', async () => {
    const config = await load(factory());
    expect(config.factories).toEqual([
      {
        name: 'payments',
        notify: [],
        pullRequests: null,
        source: {
          type: 'repository',
          url: join(folder, '../payments.git'),
          branch: 'main',
          path: '.',
          pollIntervalMs: 30_000,
          pushWebhook: null,
          allowedSigners: null,
        },
        runs: {
          executor: null,
          timeoutMs: 1_800_000,
          leaseMs: 60_000,
          concurrency: 4,
          retry: 'never',
          budget: null,
          results: [],
          workspaces: [],
        },
      },
    ]);
  });
});

describe('values', () => {
  it('of a factory with executor queue include the lease and the timeout of a run', async () => {
    const { factories } = await load(factory('    runs: { executor: { type: queue, lease: 90s, timeout: 2h } }\n'));
    expect(factories[0]?.runs).toMatchObject({ executor: { type: 'queue' }, leaseMs: 90_000, timeoutMs: 7_200_000 });
  });

  it('are all read from the example of the interfaces', async () => {
    const config = await load(
      `
baseUrl: https://hooks.example.com/bell/
dataDir: ./data
ingress: { host: "::1", port: 0 }
admin:   { host: 127.0.0.1, port: 0, openMetrics: true, allowedHosts: [Bell.example.com] }
storage: { type: sqlite }
masterKeyFile: ./master.key
trustedProxies: [10.0.0.0/8, "::1"]
limits: { deliveriesPerMinute: 6, failedAuthPerMinute: 3, bodyBytes: 1000, webhooksPerFactory: 2 }
retention: { deliveries: 500ms, minDeliveries: 0, identities: 2h, runs: 15m, runBytes: 1048576 }
shutdownGrace: 0s
log: { level: warn }
factories:
  - name: payments
    source: { type: repository, url: "git@example.com:team/payments.git", branch: release/1, path: a//b/, pollInterval: 1m }
    runs:
      executor: { type: command, command: ["./agent.sh", ./x, a/b, -v], timeout: 1h }
      concurrency: 1
      retry: interrupted
`.replace('500ms', '1m'),
    );
    expect(config).toMatchObject({
      baseUrl: 'https://hooks.example.com/bell',
      dataDir: join(folder, 'data'),
      masterKeyFile: join(folder, 'master.key'),
      ingress: { host: '::1', port: 0 },
      admin: { openMetrics: true, allowedHosts: ['bell.example.com'] },
      trustedProxies: ['10.0.0.0/8', '::1'],
      limits: { deliveriesPerMinute: 6, failedAuthPerMinute: 3, bodyBytes: 1000, webhooksPerFactory: 2 },
      retention: {
        deliveriesMs: 60_000,
        minDeliveries: 0,
        identitiesMs: 7_200_000,
        runsMs: 900_000,
        runBytes: 1_048_576,
      },
      log: { level: 'warn' },
      drainMs: 600_000,
      shutdownGraceMs: 0,
    });
    expect(config.factories[0]).toMatchObject({
      source: { url: 'git@example.com:team/payments.git', branch: 'release/1', path: 'a/b', pollIntervalMs: 60_000 },
      runs: {
        executor: { command: [join(folder, 'agent.sh'), join(folder, 'x'), 'a/b', '-v'] },
        timeoutMs: 3_600_000,
        concurrency: 1,
        retry: 'interrupted',
      },
    });
  });

  it('are frozen to the last list', async () => {
    const config = await load(factory('    runs: { executor: { type: command, command: [sh] } }\n'));
    const parts = [
      config,
      config.limits,
      config.factories,
      config.factories[0]!,
      (config.factories[0]!.runs.executor as CommandConfig).command,
    ];
    expect(parts.every(Object.isFrozen)).toBe(true);
  });

  it('keep identities as long as the log if only the log is set', async () => {
    expect((await load('retention: { deliveries: 365d }')).retention.identitiesMs).toBe(365 * DAY_MS);
  });

  it.each([
    ['https://example.com/a.git', 'https://example.com/a.git'],
    ['file:///srv/a.git', 'file:///srv/a.git'],
    ['/srv/a.git', '/srv/a.git'],
  ])('of the source stay as they are: %s', async (url, expected) => {
    const config = await load(`factories: [{ name: a, source: { type: repository, url: "${url}" } }]`);
    expect(config.factories[0]?.source).toMatchObject({ url: expected });
  });

  it.each(['managed', 'live'])('of a %s source are its type alone', async (type) => {
    const config = await load(`factories: [{ name: a, source: { type: ${type} } }]`);
    expect(config.factories[0]?.source).toEqual({ type });
  });

  it('may be YAML aliases', async () => {
    const config = await load('ingress: { host: &host 127.0.0.2 }\nadmin: { host: *host }\n');
    expect(config.admin.host).toBe('127.0.0.2');
  });
});

describe('an OpenID provider', () => {
  it('is filled in, with its host as label', async () => {
    const { admin } = await load(oidc());
    expect(admin.oidc).toEqual({
      issuer: 'https://login.example.com',
      clientId: 'dockbell',
      clientSecret: null,
      clientSecretFile: null,
      label: 'login.example.com',
      scopes: ['openid', 'profile', 'email'],
      groupsClaim: 'groups',
      groups: [{ name: 'a', role: 'owner', factories: null }],
      defaultRole: null,
      allowedDomains: [],
    });
  });

  it('always gets the scope openid, and may be on localhost without TLS', async () => {
    const { admin } = await load(oidc('issuer: "http://127.0.0.1:8080/realms/team", scopes: [groups]'));
    expect(admin.oidc).toMatchObject({ scopes: ['openid', 'groups'], label: '127.0.0.1:8080' });
  });

  it('gets its secret from a variable or a file', async () => {
    const env = { OIDC_CLIENT_SECRET: 'x', DOCKBELL_ADMIN_OIDC_CLIENT_SECRET: 'y' };
    const written = oidc('clientSecret: "${OIDC_CLIENT_SECRET}"');
    expect((await load(written, { env: { OIDC_CLIENT_SECRET: 'x' } })).admin.oidc?.clientSecret).toBe('x');
    expect((await load(written, { env })).admin.oidc?.clientSecret).toBe('y');
    const { admin } = await load(oidc('clientSecretFile: ./secret'));
    expect(admin.oidc?.clientSecretFile).toBe(join(folder, 'secret'));
  });

  it('limits groups to factories that exist', async () => {
    const groups = 'groups: [{ name: a, role: viewer, factories: [payments] }]';
    const { admin } = await load(`${oidc('', groups)}\n${factory()}`);
    expect(admin.oidc?.groups).toEqual([{ name: 'a', role: 'viewer', factories: ['payments'] }]);
  });

  it('is reported as missing if a variable sets its secret', async () => {
    expect(await errorsOf('{}', { env: { DOCKBELL_ADMIN_OIDC_CLIENT_SECRET: 'canary' } })).toEqual([
      'DOCKBELL_ADMIN_OIDC_CLIENT_SECRET: admin.oidc.issuer is missing: no provider is configured that this secret is for.',
    ]);
  });
});

describe('environment variables', () => {
  it('are replaced, and read as numbers if the option is a number', async () => {
    const config = await load(
      'baseUrl: https://${HOST}\ningress: { port: "${PORT}" }\nadmin: { allowedHosts: ["${HOST}"] }\n',
      {
        env: { HOST: 'a.example', PORT: '0' },
      },
    );
    expect([config.baseUrl, config.ingress.port, config.admin.allowedHosts]).toEqual([
      'https://a.example',
      0,
      ['a.example'],
    ]);
  });

  it('leave $${ as ${, and are not replaced inside their values', async () => {
    const config = await load(
      factory('    runs: { executor: { type: command, command: [sh, -c, "$${A} $A ${B}"] } }\n'),
      {
        env: { B: '${C}' },
      },
    );
    expect((config.factories[0]!.runs.executor as CommandConfig).command[2]).toBe('${A} $A ${C}');
  });

  it('set options over the file, and overrides win over them', async () => {
    const text = 'ingress: { port: 1 }\nadmin: { port: 2 }\nlimits: { bodyBytes: 3 }\n';
    const env = { DOCKBELL_ADMIN_PORT: '20', DOCKBELL_INGRESS_PORT: '10', DOCKBELL_ADMIN_OPEN_METRICS: 'true' };
    const config = await load(text, { env, overrides: { ingress: { port: 100 } } });
    expect([config.ingress.port, config.admin.port, config.limits.bodyBytes]).toEqual([100, 20, 3]);
    expect(config.admin.openMetrics).toBe(true);
  });

  it('and overrides resolve paths against the working folder', async () => {
    expect((await load('', { env: { DOCKBELL_DATA_DIR: 'd' } })).dataDir).toBe('/elsewhere/d');
    expect((await load('', { overrides: { dataDir: 'o' } })).dataDir).toBe('/elsewhere/o');
  });
});

describe('overrides', () => {
  it('replace the factories, and references in them are not replaced', async () => {
    const command = ['sh', '-c', 'echo ${X}'];
    const config = await load(factory(), {
      overrides: {
        factories: [
          { name: 'demo', source: { type: 'repository', url: '/r' }, runs: { executor: { type: 'command', command } } },
        ],
      },
    });
    expect(config.factories.map((each) => each.name)).toEqual(['demo']);
    expect(config.factories[0]?.runs.executor).toEqual({ type: 'command', command, user: null, timeoutMs: 1_800_000 });
  });
});

describe('errors', () => {
  const cases: [text: string, ...lines: (string | RegExp)[]][] = [
    ['ingres: {}', 'dockbell.yaml:1:1: unknown key "ingres". Did you mean "ingress"?'],
    ['ingress:\n  prot: 1', 'dockbell.yaml:2:3: unknown key "prot" in ingress. Did you mean "port"?'],
    ['zzzzzzzz: 1', /^dockbell.yaml:1:1: unknown key "zzzzzzzz"\. Allowed keys: baseUrl, dataDir, /],
    ['"\\e[31m": 1', /unknown key "\\u001b\[31m"/],
    [
      'ingress: 8787',
      'dockbell.yaml:1:10: ingress must be a map, but is a number. Write keys with values such as "key: value".',
    ],
    ['- a', 'dockbell.yaml:1:1: the file must be a map, but is a list. Write keys with values such as "key: value".'],
    [
      'ingress: { port: 65536 }',
      'dockbell.yaml:1:18: ingress.port must be a whole number from 0 to 65535, but is 65536.',
    ],
    [
      'ingress: { port: "80" }',
      'dockbell.yaml:1:18: ingress.port must be a whole number from 0 to 65535, but is "80".',
    ],
    ['ingress: { port: 80.5 }', /but is 80\.5\.$/],
    ['ingress: { port: }', /ingress.port must be a whole number from 0 to 65535, but is empty\.$/],
    ['ingress: { host: "a:1" }', /ingress.host must be a host name or an IP address/],
    [
      'ingress: { port: 1 }\nadmin: { port: 1 }',
      /^dockbell.yaml:2:16: admin.port and ingress.port are both 1 on 127.0.0.1/,
    ],
    ['admin: { openMetrics: yes }', 'dockbell.yaml:1:23: admin.openMetrics must be true or false, but is "yes".'],
    ['admin: { allowedHosts: a.example }', /admin.allowedHosts must be a list, each item a host name/],
    ['admin: { allowedHosts: ["http://a"] }', /but is \["http:\/\/a"\]\.$/],
    ['trustedProxies: [10.0.0.0/33]', /trustedProxies must be a list, each item an IP address or a subnet/],
    [
      'shutdownGrace: 10',
      'dockbell.yaml:1:16: shutdownGrace must be a duration from 0s to 1h, such as 500ms, 30s, 15m, 2h or 7d, but is 10.',
    ],
    ['log: { level: loud }', /log.level must be info, .* or silent, but is "loud"\.$/],
    ['shutdownGrace: 1.5s', /but is "1.5s"\.$/],
    ['shutdownGrace: 2h', /must be a duration from 0s to 1h/],
    ['baseUrl: hooks.example.com', /must be an http or https URL without/],
    ['baseUrl: https://a.example/?x=1', /must be an http or https URL without/],
    ['baseUrl: https://u:p@a.example', /must be an http or https URL without/],
    ['baseUrl: ftp://a.example', /must be an http or https URL without/],
    ['dataDir: ~/x', /dataDir must be a path; "~" is not expanded/],
    [
      'factories: [{ name: a, source: { type: live }, notify: [{ type: github, secretName: T }] }]',
      /notify\[0\] must have the type webhook: a git host knows only the commits of a repository/,
    ],
    [
      'storage: { type: postgres }',
      'dockbell.yaml:1:18: storage.url is missing: storage.type: postgres needs the URL of the database.',
    ],
    ['storage: { type: postgres, url: x }', /^dockbell.yaml:1:33: storage.url must be a URL such as postgres:/],
    [
      'storage: { url: "postgres://db.example.com/dockbell" }',
      /^dockbell.yaml:1:17: storage.url is only used with storage.type: postgres/,
    ],
    [
      'storage: { type: postgres, url: "postgres://db.example.com/dockbell" }\nbackup: { every: 24h, keep: 7 }',
      /^dockbell.yaml:2:9: backup copies a SQLite database/,
    ],
    ['storage: { s3: { bucket: logs } }', /^dockbell.yaml:1:16: storage.s3 is only used with storage.type: postgres/],
    [
      'storage: { type: postgres, url: "postgres://db.example.com/dockbell", s3: { bucket: logs, accessKeyId: a } }',
      /storage.s3.secretAccessKey is missing: set both keys, or remove accessKeyId to use the sources of the AWS SDK/,
    ],
    ['storage: { type: mysql }', 'dockbell.yaml:1:18: storage.type must be sqlite or postgres, but is "mysql".'],
    [
      'retention: { deliveries: 7d, identities: 6d }',
      /^dockbell.yaml:1:42: retention.identities must be at least as long/,
    ],
    [
      'admin: { oidc: {} }',
      /the required key "issuer" is missing in admin.oidc/,
      /the required key "clientId" is missing in admin.oidc/,
    ],
    [
      oidc('issuer: http://login.example.com'),
      /admin.oidc.issuer must use https: plain HTTP can be modified in transit/,
    ],
    [oidc('issuer: https://a.example/?x=1'), /admin.oidc.issuer must not have a query/],
    [oidc('issuer: https://u:p@a.example'), /admin.oidc.issuer must be an http or https URL/],
    [
      oidc('', 'groups: []'),
      'dockbell.yaml:1:26: nobody can sign in: list a group in admin.oidc.groups, or set admin.oidc.defaultRole.',
    ],
    [oidc('', 'groups: [{ name: a, role: king }]'), /groups\[0\].role must be viewer, operator, manager or owner/],
    [oidc('', 'groups: [{ role: owner }]'), /the required key "name" is missing in admin.oidc.groups\[0\]/],
    [
      oidc('', 'groups: [{ name: a, role: owner }, { name: a, role: viewer }]'),
      /groups\[1\].name is a duplicate: same group as admin.oidc.groups\[0\]/,
    ],
    [
      oidc('', 'groups: [{ name: a, role: owner, factories: [x] }]'),
      /groups\[0\].factories names no factory of this file: "x"/,
    ],
    [
      oidc('', 'groups: [{ name: a, role: owner, factories: [] }]'),
      /factories is an empty list. List a factory, or remove the key/,
    ],
    [
      oidc('clientSecret: x, clientSecretFile: y'),
      /admin.oidc.clientSecret and admin.oidc.clientSecretFile are both set/,
    ],
    ['dataDir: ${NO_SUCH}', 'dockbell.yaml:1:10: dataDir: the environment variable NO_SUCH is not set.'],
    ['dataDir: "${1}"', /dataDir: "\$\{" must be followed by the name/],
    ['dataDir: ${constructor}', /constructor is not set/],
    ['dataDir: a\ndataDir: b', /^dockbell.yaml:2:1: the key "dataDir" is written twice in this map/],
    ['dataDir: !x a', /^dockbell.yaml:1:10: the value has the tag "!x"/],
    ['dataDir: "a', /^dockbell.yaml:1:10: .*the text that begins with " has no closing "/],
    ['a: 1\n---\nb: 1', /dockbell.yaml:2:1: a second YAML document starts here/],
    ['factories: payments', /^dockbell.yaml:1:12: factories must be a list, but is a string/],
    [
      'factories: [{}]',
      'dockbell.yaml:1:13: the required key "name" is missing in factories[0]. Add "name: …".',
      'dockbell.yaml:1:13: the required key "source" is missing in factories[0]. Add "source: …".',
    ],
    ['factories: [payments]', /^dockbell.yaml:1:13: factories\[0\] must be a map, but is a string/],
    [
      'factories: [{ name: Payments, source: { type: repository, url: x } }]',
      /factories\[0\].name must be a name of lowercase letters/,
    ],
    [
      `${factory()}  - name: payments\n    source: { type: repository, url: x }`,
      'dockbell.yaml:4:11: factories[1].name is a duplicate: the name "payments" belongs to factories[0]. Use another name.',
    ],
    [
      'factories: [{ name: a, source: { type: live, name: x } }]',
      /unknown key "name" in factories\[0\].source\. Allowed keys: type/,
    ],
    [
      'factories: [{ name: a, source: { type: managed, url: x } }]',
      /unknown key "url": it belongs to type: repository/,
    ],
    [
      'factories: [{ name: a, source: { type: repository } }]',
      /the required key "url" is missing in factories\[0\].source/,
    ],
    [
      'factories: [{ name: a, source: { type: repository, url: --upload-pack=x } }]',
      'dockbell.yaml:1:57: factories[0].source.url must be the URL or the local path of a git repository.',
    ],
    [
      'factories: [{ name: a, source: { type: repository, url: x, branch: -x } }]',
      /source.branch must be the name of a branch/,
    ],
    [
      'factories: [{ name: a, source: { type: repository, url: x, branch: a..b } }]',
      /source.branch must be the name of a branch/,
    ],
    [
      'factories: [{ name: a, source: { type: repository, url: x, path: ../b } }]',
      /source.path must be a folder inside/,
    ],
    ['factories: [{ name: a, source: { type: repository, url: x, path: /b } }]', /source.path must be a folder inside/],
    [factory('    runs: { executor: {} }'), /the required key "type" is missing in factories\[0\].runs.executor/],
    [
      factory('    runs: { executor: { type: container, image: "--privileged" } }'),
      /executor.image must be the name of an image/,
    ],
    [
      factory('    runs: { executor: { type: http, url: "https://x.example/" } }'),
      /required key "secretName" is missing/,
    ],
    [
      factory('    runs: { executor: { type: http, url: "https://x.example/", secretName: S, mode: push } }'),
      /executor.mode must be sync or async/,
    ],
    [
      factory('    runs: { executor: { type: http, url: "http://x.example/?key=hidden-key", secretName: S } }'),
      /:\d+:\d+: factories\[0\].runs.executor.url must use https: plain HTTP can be modified in transit/,
    ],
    [
      factory('    runs: { executor: { type: http, url: "https://10.0.0.1/", secretName: S } }'),
      /executor.url cannot be used: the address 10.0.0.1 is private or reserved.*allowPrivateAddresses/,
    ],
    [
      factory(
        '    runs: { executor: { type: http, url: "http://1.1.1.1/", secretName: S, allowPrivateAddresses: true } }',
      ),
      /executor.url cannot be used: the address 1.1.1.1 is public/,
    ],
    [factory('    runs: { executor: { type: queue, command: [sh] } }'), /unknown key "command"/],
    [factory('    runs: { executor: { type: command, command: [sh], lease: 1m } }'), /unknown key "lease"/],
    [factory('    runs: { executor: { type: queue, user: agent } }'), /unknown key "user"/],
    [
      factory('    runs: { executor: { type: command, command: [sh], user: a b } }'),
      /executor.user must be the name of a system user, or uid:gid/,
    ],
    [factory('    runs: { executor: { type: queue, lease: 2h } }'), /must be a duration from 1s to 1h/],
    [
      factory('    runs: { executor: { type: command, command: ./agent.sh } }'),
      /executor.command must be a list of strings: the program/,
    ],
    [
      factory('    runs: { executor: { type: command, command: [] } }'),
      /executor.command must be a list of strings: the program/,
    ],
    [
      factory('    runs: { executor: { type: command, command: [sh, 1] } }'),
      /command\[1\] must be a string, but is a number/,
    ],
    [
      factory('    runs: { executor: { type: command, command: [sh], timeout: 25d } }'),
      /must be a duration from 1s to 24d/,
    ],
  ];
  cases.push(
    [
      factory('    runs: { executor: { type: container, image: x, network: "--host" } }'),
      /executor.network must be none, or the name of a network/,
    ],
    [
      factory('    runs: { results: [{ type: github, secretName: A, repository: a/b }] }'),
      /results\[0\].commit is missing: a status at a git host needs it/,
    ],
    [
      factory(
        '    runs: { results: [{ type: gitea, secretName: A, post: comment, repository: a/b, number: "{{ n }}" }] }',
      ),
      /results\[0\].url is missing: the type gitea has no default/,
    ],
    [
      factory(
        '    runs: { results: [{ type: webhook, secretName: A, url: "https://x.example/", number: "{{ n }}" }] }',
      ),
      /results\[0\].number must be removed: a callback contains the whole run/,
    ],
    [
      factory('    runs: { results: [{ type: github, secretName: A, repository: "{{ a b }}", commit: "{{ c }}" }] }'),
      /results\[0\].repository must be a text without spaces, or a template/,
    ],
  );
  it.each(cases)('%s', async (text, ...lines) => {
    const errors = await errorsOf(text);
    expect(errors).toHaveLength(lines.length);
    lines.forEach((line, index) => {
      if (typeof line === 'string') expect(errors[index]).toBe(line);
      else expect(errors[index]).toMatch(line);
    });
  });

  it('are reported together, from every source', async () => {
    const errors = await errorsOf('ingress: { port: x }\nlimits: { bodyByte: 1 }\n', {
      env: { DOCKBELL_ADMIN_PORT: '80x', DOCKBELL_DATA_DIR: '' },
      overrides: { shutdownGrace: 'soon' },
    });
    expect(errors.map((line) => line.replace(/ (must|in) .*/, ''))).toEqual([
      'dockbell.yaml:1:18: ingress.port',
      'dockbell.yaml:2:11: unknown key "bodyByte"',
      'DOCKBELL_DATA_DIR: dataDir',
      'DOCKBELL_ADMIN_PORT: admin.port',
      'overrides: shutdownGrace',
    ]);
  });

  it.each([
    ['unknown options', (line: number) => `unknown${line}: 1`, 'unknown key'],
    ['keys that are written twice', () => 'log: {}', 'is written twice'],
  ])('are listed up to 100, and the others are counted: %s', async (_what, write, message) => {
    const text = (count: number) =>
      `log: {}\n${Array.from({ length: count }, (_, line) => `${write(line)}\n`).join('')}`;
    expect(await errorsOf(text(100))).toHaveLength(100);
    const many = await errorsOf(text(130));
    expect(many).toHaveLength(101);
    expect(many[99]).toContain(message);
    expect(many[100]).toBe('30 more errors not listed.');
  });

  it('show neither the value of a variable nor a URL that may hold a password', async () => {
    const env = { SECRET: 'canary-value' };
    const errors = await errorsOf(
      'ingress: { host: "${SECRET}:1" }\nlimits: { bodyBytes: "${SECRET}" }\nfactories: [{ name: a, source: { type: repository, url: "-${SECRET}" } }, { name: b, source: { type: repository, url: -canary-value } }]',
      { env },
    );
    expect(errors).toHaveLength(4);
    expect(errors.join('\n')).not.toContain('canary');
    expect(errors.join('\n')).toContain('"${SECRET}"');
  });

  it('name a file that is missing or is not text', async () => {
    const file = join(folder, 'none.yaml');
    await expect(loadConfig({ file, env: {} })).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining(file),
    });
    await writeFile(file, Buffer.from([0x61, 0xff]));
    await expect(loadConfig({ file, env: {} })).rejects.toThrow('not valid UTF-8');
  });
});
