import { ROLES } from '../core/access.ts';
import type { RuleSetting } from '../core/alerts/alert-rules.ts';
import { BUDGET_OUTCOMES } from '../core/run-policy.ts';
import { EXECUTOR_NAMES, EXECUTOR_OPTIONS, EXECUTORS } from '../executors/index.ts';
import { ALERT_OPTIONS } from './alert-options.ts';
import type { TextFormat } from './text-formats.ts';

/**
 * Type of the value of an option. Durations are written as `30s` and read as milliseconds. A `path` and a local
 * `repository` are resolved against the folder of the file that contains them. `choice.later` are values of later versions. A `toggle` is
 * written as `on` or `off`, a `threshold` also as a value.
 */
export type OptionType =
  | { kind: 'text'; format: TextFormat }
  | { kind: 'list'; format: TextFormat }
  | { kind: 'path' }
  | { kind: 'repository' }
  | { kind: 'command' }
  | { kind: 'boolean' }
  | { kind: 'integer'; min: number; max: number }
  | { kind: 'duration'; min: string; max: string }
  | { kind: 'choice'; values: readonly string[]; later: readonly string[] }
  | RuleSetting;

export interface Option {
  /** Name that editors show. */
  title: string;
  type: OptionType;
  /** As written in the file; `null` if the description explains the default. */
  default: string | number | boolean | readonly string[] | null;
  /** Required if its section exists. */
  required?: true;
  /** The key exists only if the `type` of its section has this value. */
  onlyWith?: string;
  /** Unit of a number. Durations include their unit. */
  unit?: string;
  description: string;
  /** Values as written in the file. */
  examples: readonly (string | number | boolean | readonly string[])[];
  /** Environment variable that overrides the file. Items of lists are separated by commas. */
  env: string | null;
  /** May contain a credential: no error shows its value. */
  secret: boolean;
}

/** A timer of Node.js can wait for a little less than 25 days. */
const LONGEST_TIMER = '24d';

const EXECUTOR_SUMMARIES = EXECUTOR_NAMES.map((name) => EXECUTORS[name].summary).join(' ');

/** Every key of `dockbell.yaml`. `[]` stands for each item of a list. Types, schema and reference follow from this table. */
export const OPTIONS = {
  baseUrl: {
    title: 'Base URL',
    type: { kind: 'text', format: 'baseUrl' },
    default: null,
    description:
      'Public URL of the ingress listener, without `/webhooks/...`. Dockbell shows ingress URLs with it. Default: the address of the ingress listener.',
    examples: ['https://hooks.example.com'],
    env: 'DOCKBELL_BASE_URL',
    secret: false,
  },
  dataDir: {
    title: 'Data directory',
    type: { kind: 'path' },
    default: './.dockbell',
    description: 'Folder of the database, the git mirrors and the files of runs. Only one daemon at a time can use it.',
    examples: ['./.dockbell', '/var/lib/dockbell'],
    env: 'DOCKBELL_DATA_DIR',
    secret: false,
  },
  runsDir: {
    title: 'Runs directory',
    type: { kind: 'path' },
    default: null,
    description:
      'Folder that contains one directory per run. Default: `runs` in `dataDir`. If runs start as another user (`user`), the folder must be outside `dataDir`.',
    examples: ['/var/lib/dockbell-runs'],
    env: 'DOCKBELL_RUNS_DIR',
    secret: false,
  },
  masterKeyFile: {
    title: 'Master key file',
    type: { kind: 'path' },
    default: null,
    description:
      'File of the master key that encrypts the team secrets: 32 bytes in base64, mode 0600. The first start creates it. Default: `master.key` in `dataDir`. `DOCKBELL_MASTER_KEY` contains the key itself and takes precedence over the file.',
    examples: ['./master.key', '/run/secrets/dockbell-master-key'],
    env: 'DOCKBELL_MASTER_KEY_FILE',
    secret: false,
  },
  'ingress.host': {
    title: 'Ingress host',
    type: { kind: 'text', format: 'listenHost' },
    default: '127.0.0.1',
    description: 'Address that the public listener binds to. It serves deliveries and health checks, nothing else.',
    examples: ['127.0.0.1', '0.0.0.0', '::'],
    env: 'DOCKBELL_INGRESS_HOST',
    secret: false,
  },
  'ingress.port': {
    title: 'Ingress port',
    type: { kind: 'integer', min: 0, max: 65_535 },
    default: 8787,
    description:
      'Port of the public listener. With 0, the system chooses a free port, and the daemon writes it to `daemon.json` in `dataDir`.',
    examples: [8787, 0],
    env: 'DOCKBELL_INGRESS_PORT',
    secret: false,
  },
  'admin.host': {
    title: 'Admin host',
    type: { kind: 'text', format: 'listenHost' },
    default: '127.0.0.1',
    description: 'Address that the management API, the dashboard and the metrics bind to. Keep it private.',
    examples: ['127.0.0.1', '10.0.0.5'],
    env: 'DOCKBELL_ADMIN_HOST',
    secret: false,
  },
  'admin.port': {
    title: 'Admin port',
    type: { kind: 'integer', min: 0, max: 65_535 },
    default: 8788,
    description:
      'Port of the admin listener. With 0, the system chooses a free port, and the daemon writes it to `daemon.json` in `dataDir`.',
    examples: [8788, 0],
    env: 'DOCKBELL_ADMIN_PORT',
    secret: false,
  },
  'admin.url': {
    title: 'Admin URL',
    type: { kind: 'text', format: 'originUrl' },
    default: null,
    description:
      'Public URL of the dashboard, if it differs from the listener address (for example, behind a reverse proxy). Its host name is allowed in the `Host` header. With `https`, session cookies are sent only over TLS. Default: the address of the admin listener.',
    examples: ['https://dockbell.example.com'],
    env: 'DOCKBELL_ADMIN_URL',
    secret: false,
  },
  'admin.sessionIdle': {
    title: 'Session idle timeout',
    type: { kind: 'duration', min: '1m', max: '12h' },
    default: '30m',
    description: 'Idle timeout of dashboard sessions.',
    examples: ['30m', '12h'],
    env: 'DOCKBELL_ADMIN_SESSION_IDLE',
    secret: false,
  },
  'admin.sessionLifetime': {
    title: 'Session lifetime',
    type: { kind: 'duration', min: '1m', max: '7d' },
    default: '12h',
    description: 'Maximum lifetime of dashboard sessions, even if they are in use.',
    examples: ['12h', '7d'],
    env: 'DOCKBELL_ADMIN_SESSION_LIFETIME',
    secret: false,
  },
  'admin.oidc.issuer': {
    title: 'Issuer',
    type: { kind: 'text', format: 'httpUrl' },
    default: null,
    required: true,
    description:
      'Issuer identifier of the OpenID provider, exactly as in its discovery document. Must use `https`, except on localhost. The daemon contacts the provider at the first sign-in, not at start.',
    examples: ['https://login.example.com/realms/team'],
    env: null,
    secret: false,
  },
  'admin.oidc.clientId': {
    title: 'Client ID',
    type: { kind: 'text', format: 'visibleText' },
    default: null,
    required: true,
    description:
      'Client ID of this daemon at the provider. Register it there with the redirect URI `<admin.url>/auth/oidc/callback`.',
    examples: ['dockbell'],
    env: null,
    secret: false,
  },
  'admin.oidc.clientSecret': {
    title: 'Client secret',
    type: { kind: 'text', format: 'visibleText' },
    default: null,
    description:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it shows what to write
      'Client secret at the provider. Put it in an environment variable, `${OIDC_CLIENT_SECRET}`, or in a file (`clientSecretFile`). Without a secret, the daemon is a public client that uses PKCE.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it shows what to write
    examples: ['${OIDC_CLIENT_SECRET}'],
    env: 'DOCKBELL_ADMIN_OIDC_CLIENT_SECRET',
    secret: true,
  },
  'admin.oidc.clientSecretFile': {
    title: 'Client secret file',
    type: { kind: 'path' },
    default: null,
    description:
      'File of the client secret, instead of `clientSecret`. The daemon reads it at start and ignores a line break at the end.',
    examples: ['/run/secrets/dockbell-oidc'],
    env: 'DOCKBELL_ADMIN_OIDC_CLIENT_SECRET_FILE',
    secret: false,
  },
  'admin.oidc.label': {
    title: 'Label',
    type: { kind: 'text', format: 'visibleText' },
    default: null,
    description: 'Name of the provider on the sign-in page: "Sign in with ...". Default: the host of the issuer.',
    examples: ['Example SSO'],
    env: null,
    secret: false,
  },
  'admin.oidc.scopes': {
    title: 'Scopes',
    type: { kind: 'list', format: 'scope' },
    default: ['openid', 'profile', 'email'],
    description:
      'Scopes to request from the provider. `openid` is always included. Some providers send groups only with an additional scope.',
    examples: [['openid', 'profile', 'email', 'groups']],
    env: null,
    secret: false,
  },
  'admin.oidc.groupsClaim': {
    title: 'Groups claim',
    type: { kind: 'text', format: 'visibleText' },
    default: 'groups',
    description:
      'Claim that contains the groups of a user: a string or a list of strings. `a.b` means `b` inside `a`. If the ID token has no such claim, the daemon requests it from the user info endpoint.',
    examples: ['groups', 'realm_access.roles'],
    env: null,
    secret: false,
  },
  'admin.oidc.defaultRole': {
    title: 'Default role',
    type: { kind: 'choice', values: ROLES, later: [] },
    default: null,
    description:
      'Role of users who are in none of the `groups`, for all factories. Default: these users cannot sign in.',
    examples: ['viewer'],
    env: null,
    secret: false,
  },
  'admin.oidc.allowedDomains': {
    title: 'Allowed domains',
    type: { kind: 'list', format: 'hostName' },
    default: [],
    description:
      'Email domains that may sign in. The provider must confirm that the address is verified (`email_verified`). Default: all addresses are allowed.',
    examples: [['example.com']],
    env: null,
    secret: false,
  },
  'admin.oidc.groups[].name': {
    title: 'Group name',
    type: { kind: 'text', format: 'visibleText' },
    default: null,
    required: true,
    description: 'Name of the group, exactly as in the claim.',
    examples: ['platform-team', '/platform-team'],
    env: null,
    secret: false,
  },
  'admin.oidc.groups[].role': {
    title: 'Group role',
    type: { kind: 'choice', values: ROLES, later: [] },
    default: null,
    required: true,
    description:
      'Role of the members of the group. Users in several groups get the highest role. Groups are read at every sign-in.',
    examples: ['owner', 'operator'],
    env: null,
    secret: false,
  },
  'admin.oidc.groups[].factories': {
    title: 'Group factories',
    type: { kind: 'list', format: 'factoryName' },
    default: null,
    description:
      'Factories that the members of the group may access. Default: all. For users in several groups, the factories of the groups with the highest role are combined.',
    examples: [['payments']],
    env: null,
    secret: false,
  },
  'admin.openMetrics': {
    title: 'Open metrics',
    type: { kind: 'boolean' },
    default: false,
    description: 'Serve `/metrics` without a token.',
    examples: [true],
    env: 'DOCKBELL_ADMIN_OPEN_METRICS',
    secret: false,
  },
  'admin.allowedHosts': {
    title: 'Allowed hosts',
    type: { kind: 'list', format: 'hostName' },
    default: [],
    description:
      'Host names, with or without port, that the admin listener accepts in addition to localhost. Requests with another `Host` header are rejected.',
    examples: [['dockbell.example.com']],
    env: 'DOCKBELL_ADMIN_ALLOWED_HOSTS',
    secret: false,
  },
  'storage.type': {
    title: 'Storage type',
    type: { kind: 'choice', values: ['sqlite'], later: ['postgres'] },
    default: 'sqlite',
    description: 'Storage of deliveries, runs and definitions. `sqlite` is a file in `dataDir`.',
    examples: ['sqlite'],
    env: 'DOCKBELL_STORAGE_TYPE',
    secret: false,
  },
  trustedProxies: {
    title: 'Trusted proxies',
    type: { kind: 'list', format: 'proxy' },
    default: [],
    description:
      'Addresses and subnets of proxies whose `X-Forwarded-For` header is trusted. On the admin listener, `X-Forwarded-Proto` is trusted too.',
    examples: [['10.0.0.0/8', '192.0.2.1']],
    env: 'DOCKBELL_TRUSTED_PROXIES',
    secret: false,
  },
  'telemetry.otlpEndpoint': {
    title: 'OTLP endpoint',
    type: { kind: 'text', format: 'baseUrl' },
    default: null,
    description:
      'Base URL of a receiver of OpenTelemetry traces (OTLP over HTTP with JSON), without `/v1/traces`. Default: no traces. `OTEL_EXPORTER_OTLP_HEADERS` contains its credentials.',
    examples: ['http://127.0.0.1:4318'],
    env: 'DOCKBELL_TELEMETRY_OTLP_ENDPOINT',
    secret: false,
  },
  'telemetry.samplePercent': {
    title: 'Share of traces',
    type: { kind: 'integer', min: 0, max: 100 },
    default: 100,
    unit: 'percent',
    description:
      'Share of the traces to export that Dockbell starts itself. If an authenticated sender starts the trace, it decides.',
    examples: [100, 5],
    env: 'DOCKBELL_TELEMETRY_SAMPLE_PERCENT',
    secret: false,
  },
  'limits.deliveriesPerMinute': {
    title: 'Deliveries per minute',
    type: { kind: 'integer', min: 1, max: 100_000 },
    default: 60,
    unit: 'requests',
    description: 'Maximum number of authenticated requests per webhook in any 60 seconds. Further requests get `429`.',
    examples: [60, 600],
    env: 'DOCKBELL_LIMITS_DELIVERIES_PER_MINUTE',
    secret: false,
  },
  'limits.failedAuthPerMinute': {
    title: 'Failed authentications per minute',
    type: { kind: 'integer', min: 1, max: 100_000 },
    default: 30,
    unit: 'requests',
    description:
      'Maximum number of failed authentications per client address and webhook in any 60 seconds that get `401`. Further ones get `429`.',
    examples: [30],
    env: 'DOCKBELL_LIMITS_FAILED_AUTH_PER_MINUTE',
    secret: false,
  },
  'limits.bodyBytes': {
    title: 'Body size',
    type: { kind: 'integer', min: 1, max: 16_777_216 },
    default: 262_144,
    unit: 'bytes',
    description: 'Maximum size of a delivery body. Longer bodies get `413`.',
    examples: [262_144],
    env: 'DOCKBELL_LIMITS_BODY_BYTES',
    secret: false,
  },
  'limits.webhooksPerFactory': {
    title: 'Webhooks per factory',
    type: { kind: 'integer', min: 1, max: 10_000 },
    default: 20,
    unit: 'webhooks',
    description:
      'Maximum number of webhooks per factory, including disabled ones. `dockbell validate` works offline and always uses the default.',
    examples: [20],
    env: 'DOCKBELL_LIMITS_WEBHOOKS_PER_FACTORY',
    secret: false,
  },
  'retention.deliveries': {
    title: 'Retention of deliveries',
    type: { kind: 'duration', min: '1m', max: '36500d' },
    default: '7d',
    description: 'Retention time of entries in the delivery log and of their payloads.',
    examples: ['7d', '30d'],
    env: 'DOCKBELL_RETENTION_DELIVERIES',
    secret: false,
  },
  'retention.minDeliveries': {
    title: 'Deliveries always kept',
    type: { kind: 'integer', min: 0, max: 1_000_000 },
    default: 50,
    unit: 'entries',
    description: 'Number of the most recent entries per webhook that are kept regardless of age.',
    examples: [50],
    env: 'DOCKBELL_RETENTION_MIN_DELIVERIES',
    secret: false,
  },
  'retention.identities': {
    title: 'Retention of identities',
    type: { kind: 'duration', min: '1m', max: '36500d' },
    default: '90d',
    description:
      'Time during which a repeated delivery is recognized as a duplicate. Must be at least `retention.deliveries`. If omitted, a longer `retention.deliveries` raises it.',
    examples: ['90d'],
    env: 'DOCKBELL_RETENTION_IDENTITIES',
    secret: false,
  },
  'retention.runs': {
    title: 'Retention of runs',
    type: { kind: 'duration', min: '1m', max: '36500d' },
    default: '30d',
    description: 'Retention time of finished runs, their files and their logs.',
    examples: ['30d'],
    env: 'DOCKBELL_RETENTION_RUNS',
    secret: false,
  },
  'retention.runBytes': {
    title: 'Space for finished runs',
    type: { kind: 'integer', min: 1_048_576, max: Number.MAX_SAFE_INTEGER },
    default: 10_737_418_240,
    unit: 'bytes',
    description:
      'Maximum disk space for the files and logs of finished runs, 10 GiB by default. Above it, the files of the oldest runs are deleted early. The runs stay in the list.',
    examples: [10_737_418_240],
    env: 'DOCKBELL_RETENTION_RUN_BYTES',
    secret: false,
  },
  'retention.audit': {
    title: 'Retention of the audit log',
    type: { kind: 'duration', min: '1d', max: '36500d' },
    default: '365d',
    description:
      'Retention time of the audit log, which records changes and sign-ins. The log keeps at most one million entries.',
    examples: ['365d', '90d'],
    env: 'DOCKBELL_RETENTION_AUDIT',
    secret: false,
  },
  'retention.secretVersions': {
    title: 'Retention of old secret versions',
    type: { kind: 'duration', min: '1m', max: '3650d' },
    default: '30d',
    description:
      'Time during which a version of a secret is kept after its last use, encrypted like all others. Old versions explain why a sender is rejected. They never authenticate a request.',
    examples: ['30d', '1d'],
    env: 'DOCKBELL_RETENTION_SECRET_VERSIONS',
    secret: false,
  },
  'log.level': {
    title: 'Log level',
    type: { kind: 'choice', values: ['info', 'warn', 'error', 'silent'], later: [] },
    default: 'info',
    description:
      'Lowest level that is logged. With `silent`, nothing is logged. Configuration errors and a failed start are always printed.',
    examples: ['info', 'warn'],
    env: 'DOCKBELL_LOG_LEVEL',
    secret: false,
  },
  'backup.every': {
    title: 'Backup interval',
    type: { kind: 'duration', min: '10m', max: '365d' },
    default: '24h',
    description:
      'Interval of scheduled backups. The first backup is made when the daemon starts. A restart does not change the time of the next one.',
    examples: ['24h', '1h'],
    env: 'DOCKBELL_BACKUP_EVERY',
    secret: false,
  },
  'backup.keep': {
    title: 'Backups to keep',
    type: { kind: 'integer', min: 1, max: 10_000 },
    default: 7,
    unit: 'backups',
    description: 'Number of scheduled backups to keep. The daemon deletes older ones, and no other files.',
    examples: [7, 30],
    env: 'DOCKBELL_BACKUP_KEEP',
    secret: false,
  },
  'backup.dir': {
    title: 'Backup directory',
    type: { kind: 'path' },
    default: null,
    description:
      'Folder for scheduled backups. Use another disk than that of `dataDir`. Several daemons can share the folder. Default: `backups` in `dataDir`.',
    examples: ['./backups', '/mnt/backup/dockbell'],
    env: 'DOCKBELL_BACKUP_DIR',
    secret: false,
  },
  ...ALERT_OPTIONS,
  drain: {
    title: 'Drain period',
    type: { kind: 'duration', min: '0s', max: '7d' },
    default: '10m',
    description:
      'Time that running commands may continue after SIGTERM, while no new run starts and deliveries are still accepted. Give the service manager more time than `drain` and `shutdownGrace` together.',
    examples: ['10m', '1h', '0s'],
    env: 'DOCKBELL_DRAIN',
    secret: false,
  },
  shutdownGrace: {
    title: 'Shutdown grace period',
    type: { kind: 'duration', min: '0s', max: '1h' },
    default: '10s',
    description:
      'Time that running commands have to exit at a stop of the daemon after `drain`, between SIGTERM and SIGKILL.',
    examples: ['10s', '1m'],
    env: 'DOCKBELL_SHUTDOWN_GRACE',
    secret: false,
  },
  'factories[].name': {
    title: 'Factory name',
    type: { kind: 'text', format: 'factoryName' },
    default: null,
    required: true,
    description:
      'Unique name of the factory. The database refers to it: a factory with a new name is a new factory with new URLs, until `dockbell factory rename OLD NEW` gives it the URLs and the history of the old one.',
    examples: ['payments'],
    env: null,
    secret: false,
  },
  'factories[].source.type': {
    title: 'Source type',
    type: { kind: 'choice', values: ['repository', 'managed', 'live'], later: [] },
    default: null,
    required: true,
    description:
      'Source of the definition. `repository`: a git repository that the team owns and changes by commits. `managed`: a git repository in the data directory, changed through the API and the CLI, with history and revert. `live`: the database, changed through the API and the CLI, with rename and rotation. When the type of a factory changes to `managed` or `live`, the current definition is kept.',
    examples: ['repository', 'managed', 'live'],
    env: null,
    secret: false,
  },
  'factories[].source.url': {
    title: 'Repository URL',
    type: { kind: 'repository' },
    onlyWith: 'repository',
    default: null,
    required: true,
    description:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it shows what to write
      'URL of the repository: https, ssh, file, `git@host:path`, or a local path relative to this file. Put passwords in an environment variable: `https://user:${GIT_TOKEN}@host/path`.',
    examples: ['../payments-factory.git', 'https://git.example.com/team/payments-factory.git'],
    env: null,
    secret: true,
  },
  'factories[].source.branch': {
    title: 'Production branch',
    type: { kind: 'text', format: 'branch' },
    onlyWith: 'repository',
    default: 'main',
    description: 'Branch that is applied. Commits on other branches have no effect.',
    examples: ['main', 'production'],
    env: null,
    secret: false,
  },
  'factories[].source.path': {
    title: 'Factory folder',
    type: { kind: 'text', format: 'folder' },
    onlyWith: 'repository',
    default: '.',
    description: 'Folder inside the repository that contains `webhooks/` and `automations/`.',
    examples: ['.', 'factories/payments'],
    env: null,
    secret: false,
  },
  'factories[].source.pollInterval': {
    title: 'Poll interval',
    type: { kind: 'duration', min: '1s', max: LONGEST_TIMER },
    onlyWith: 'repository',
    default: '30s',
    description:
      'Interval between checks of a remote repository for new commits. Local repositories are watched instead.',
    examples: ['30s', '5m'],
    env: null,
    secret: false,
  },
  'factories[].source.pushWebhook': {
    title: 'Push webhook',
    type: { kind: 'text', format: 'webhookName' },
    onlyWith: 'repository',
    default: null,
    description:
      'Name of a webhook of this factory that receives pushes from the git host. An accepted delivery for the production branch starts a reconciliation immediately. Polling continues.',
    examples: ['git-push'],
    env: null,
    secret: false,
  },
  'factories[].source.allowedSigners': {
    title: 'Allowed signers',
    type: { kind: 'path' },
    onlyWith: 'repository',
    default: null,
    description:
      'File with SSH keys, in the format of `gpg.ssh.allowedSignersFile` of git. If set, the commit at the tip of the branch must be signed with one of them. Otherwise it is not applied, and the last good definition stays live. Only SSH signatures count. Default: signatures are not checked.',
    examples: ['/etc/dockbell/allowed_signers'],
    env: null,
    secret: false,
  },
  'factories[].notify[].type': {
    title: 'Target type',
    type: { kind: 'choice', values: ['github', 'gitlab', 'gitea', 'forgejo', 'webhook'], later: [] },
    default: null,
    required: true,
    description:
      'Type of the target. A git host gets a commit status. `webhook` gets a POST that is signed according to Standard Webhooks and contains all diagnostics.',
    examples: ['github'],
    env: null,
    secret: false,
  },
  'factories[].notify[].url': {
    title: 'Target URL',
    type: { kind: 'text', format: 'httpUrl' },
    default: null,
    description:
      'Base URL of the API of the git host, or the URL to which `webhook` posts. Default: `https://api.github.com` for `github`, `https://gitlab.com/api/v4` for `gitlab`. Required for all other types. Tokens are sent only over https, except on localhost.',
    examples: ['https://git.example.com/api/v1', 'https://ghe.example.com/api/v3'],
    env: null,
    secret: true,
  },
  'factories[].notify[].repository': {
    title: 'Repository at the git host',
    type: { kind: 'text', format: 'repositoryName' },
    default: null,
    description:
      'Owner and name of the repository at the git host. For `gitlab`: the path or the number of the project. Default: derived from `source.url`, if that repository is on the same host.',
    examples: ['team/payments-factory', 'group/subgroup/payments-factory'],
    env: null,
    secret: false,
  },
  'factories[].notify[].secretName': {
    title: 'Target secret',
    type: { kind: 'text', format: 'secretName' },
    default: null,
    required: true,
    description:
      'Name of the team secret that contains the access token of the git host, or the signing secret (`whsec_...`) of a `webhook`. Changes of the secret take effect without an apply.',
    examples: ['GITHUB_STATUS_TOKEN'],
    env: null,
    secret: false,
  },
  'factories[].notify[].context': {
    title: 'Status context',
    type: { kind: 'text', format: 'statusContext' },
    default: null,
    description:
      'Name of the commit status at the git host, which separates it from the statuses of other systems. Default: `dockbell/` and the name of the factory.',
    examples: ['dockbell/payments'],
    env: null,
    secret: false,
  },
  'factories[].notify[].format': {
    title: 'Format of the webhook',
    type: { kind: 'choice', values: ['standard', 'cloudevents'], later: [] },
    default: 'standard',
    description:
      'Format of the body that `webhook` posts. `standard`: type, timestamp and data, as Standard Webhooks recommends. `cloudevents`: a CloudEvent 1.0 in structured mode with the same data. Both are signed according to Standard Webhooks. Other types have one format.',
    examples: ['cloudevents'],
    env: null,
    secret: false,
  },
  'factories[].notify[].targetUrl': {
    title: 'Status link',
    type: { kind: 'text', format: 'httpUrl' },
    default: null,
    description: 'URL that the commit status links to, for example a dashboard. Default: no link.',
    examples: ['https://dockbell.example.com/'],
    env: null,
    secret: false,
  },
  'factories[].notify[].allowPrivateAddresses': {
    title: 'Allow private addresses',
    type: { kind: 'boolean' },
    default: true,
    description:
      'Whether the target may have a private, loopback or reserved address, as a git host in your network has. Each address is checked when Dockbell connects to it. Set it to false if the target is on the internet. Plain http is never sent to a public address.',
    examples: [false],
    env: null,
    secret: false,
  },
  'factories[].runs.executor.type': {
    title: 'Executor type',
    type: { kind: 'choice', values: EXECUTOR_NAMES, later: [] },
    default: null,
    required: true,
    description: `How runs are executed. ${EXECUTOR_SUMMARIES}`,
    examples: EXECUTOR_NAMES,
    env: null,
    secret: false,
  },
  ...EXECUTOR_OPTIONS,
  'factories[].runs.executor.timeout': {
    title: 'Run timeout',
    type: { kind: 'duration', min: '1s', max: LONGEST_TIMER },
    default: '30m',
    description:
      'Maximum duration of a run. After it, the processes of the run are stopped and the run fails. A worker is notified in the response to its next heartbeat.',
    examples: ['30m', '2h'],
    env: null,
    secret: false,
  },
  'factories[].runs.concurrency': {
    title: 'Concurrency',
    type: { kind: 'integer', min: 1, max: 1000 },
    default: 4,
    unit: 'runs',
    description: 'Maximum number of concurrent runs of this factory. Further runs wait.',
    examples: [4, 1],
    env: null,
    secret: false,
  },
  'factories[].runs.budget.runs': {
    title: 'Budget',
    type: { kind: 'integer', min: 1, max: 100_000 },
    default: null,
    required: true,
    description:
      'Maximum number of attempts of all automations of this factory that start in the period. Automatic retries count too.',
    examples: [200],
    env: null,
    secret: false,
  },
  'factories[].runs.budget.per': {
    title: 'Budget period',
    type: { kind: 'duration', min: '1s', max: '31d' },
    default: null,
    required: true,
    description: 'The length of the period, which moves with the time.',
    examples: ['1d', '1h'],
    env: null,
    secret: false,
  },
  'factories[].runs.budget.over': {
    title: 'Over the budget',
    type: { kind: 'choice', values: BUDGET_OUTCOMES, later: [] },
    default: 'queue',
    description:
      'The outcome of a run over the budget. `queue`: it waits until the budget allows another start. `skip`: it ends without a start.',
    examples: ['queue', 'skip'],
    env: null,
    secret: false,
  },
  'factories[].runs.results[].type': {
    title: 'Result target type',
    type: { kind: 'choice', values: ['github', 'gitlab', 'gitea', 'forgejo', 'webhook'], later: [] },
    default: null,
    required: true,
    description:
      'Type of a target that gets the result of each run of the factory: a git host, or `webhook` for a callback that is signed according to Standard Webhooks.',
    examples: ['github', 'webhook'],
    env: null,
    secret: false,
  },
  'factories[].runs.results[].post': {
    title: 'Form of the result',
    type: { kind: 'choice', values: ['status', 'comment'], later: [] },
    default: 'status',
    description:
      'What a git host gets. `status`: a commit status for each run. `comment`: a comment on the pull request or merge request, if the run wrote a summary or a link to `result.json`.',
    examples: ['comment'],
    env: null,
    secret: false,
  },
  'factories[].runs.results[].repository': {
    title: 'Repository of the result',
    type: { kind: 'text', format: 'template' },
    default: null,
    description:
      'Owner and name of the repository at the git host, usually as a template over paths of the payload. Required for git hosts. The token decides which repositories it can reach.',
    examples: ['{{ repository.full_name }}', 'team/payments'],
    env: null,
    secret: false,
  },
  'factories[].runs.results[].commit': {
    title: 'Commit of the result',
    type: { kind: 'text', format: 'template' },
    default: null,
    description:
      'Template of the commit ID, required with `post: status`. Runs whose payload has none are not reported.',
    examples: ['{{ pull_request.head.sha }}', '{{ after }}'],
    env: null,
    secret: false,
  },
  'factories[].runs.results[].number': {
    title: 'Pull request of the result',
    type: { kind: 'text', format: 'template' },
    default: null,
    description:
      'Template of the number of the pull request, merge request or issue, required with `post: comment`. Runs whose payload has none are not reported.',
    examples: ['{{ pull_request.number }}'],
    env: null,
    secret: false,
  },
  'factories[].runs.results[].url': {
    title: 'Result URL',
    type: { kind: 'text', format: 'httpUrl' },
    default: null,
    description:
      'Base URL of the API of the git host, or the URL to which `webhook` posts. Default: `https://api.github.com` for `github`, `https://gitlab.com/api/v4` for `gitlab`. Required for all other types.',
    examples: ['https://git.example.com/api/v1', 'https://ci.example.com/dockbell'],
    env: null,
    secret: true,
  },
  'factories[].runs.results[].secretName': {
    title: 'Result secret',
    type: { kind: 'text', format: 'secretName' },
    default: null,
    required: true,
    description:
      'Name of the team secret that contains the access token of the git host, or the signing secret (`whsec_...`) of a `webhook`.',
    examples: ['GITHUB_RESULT_TOKEN'],
    env: null,
    secret: false,
  },
  'factories[].runs.results[].context': {
    title: 'Context of the result',
    type: { kind: 'text', format: 'statusContext' },
    default: null,
    description:
      'Beginning of the name of the commit status. The name of the automation follows. Default: `dockbell/` and the name of the factory.',
    examples: ['agents'],
    env: null,
    secret: false,
  },
  'factories[].runs.results[].targetUrl': {
    title: 'Result link',
    type: { kind: 'text', format: 'httpUrl' },
    default: null,
    description: 'URL that the commit status links to, for example a dashboard. Default: no link.',
    examples: ['https://dockbell.example.com/'],
    env: null,
    secret: false,
  },
  'factories[].runs.results[].allowPrivateAddresses': {
    title: 'Private addresses of results',
    type: { kind: 'boolean' },
    default: false,
    description:
      'Whether the target may have a private, loopback or reserved address. Each address is checked when Dockbell connects to it.',
    examples: [true],
    env: null,
    secret: false,
  },
  'factories[].runs.workspaces[].url': {
    title: 'Workspace URL',
    type: { kind: 'repository' },
    default: null,
    required: true,
    description:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it shows what to write
      'URL of a repository that `workspace` of an automation may name. git gets the user name and password of this URL, such as `https://user:${GIT_TOKEN}@host/path`.',
    examples: ['https://git.example.com/team/payments.git'],
    env: null,
    secret: true,
  },
  'factories[].runs.retry': {
    title: 'Retry',
    type: { kind: 'choice', values: ['never', 'interrupted'], later: [] },
    default: 'never',
    description:
      'Action for a run whose command was interrupted by a crash or a stop of the daemon: `never` marks the run as failed, `interrupted` starts it again. Use `interrupted` only for commands that may run twice.',
    examples: ['never'],
    env: null,
    secret: false,
  },
} as const satisfies Readonly<Record<string, Option>>;

export type OptionKey = keyof typeof OPTIONS;

export interface Section {
  title: string;
  description: string;
  optional?: true;
}

/** Sections of the file: keys that contain other keys. An `optional` section may be absent although it has required keys. */
export const SECTIONS = {
  ingress: { title: 'Ingress', description: 'The public listener.' },
  admin: { title: 'Admin', description: 'The private listener: management API, dashboard, metrics, health.' },
  'admin.oidc': {
    title: 'OpenID Connect',
    description: 'Sign-in with an OpenID provider, in addition to passwords, API tokens and login links.',
    optional: true,
  },
  'admin.oidc.groups': {
    title: 'Groups',
    description:
      'Roles of the groups at the provider. Users who are in none of the groups cannot sign in without `defaultRole`.',
  },
  storage: { title: 'Storage', description: 'The database.' },
  limits: { title: 'Limits', description: 'Limits for senders and factories.' },
  retention: { title: 'Retention', description: 'Retention times of stored data.' },
  backup: {
    title: 'Backup',
    description:
      'Scheduled backups, without run logs and without the master key. Without this section, the daemon makes none.',
    optional: true,
  },
  alerts: { title: 'Alerts', description: 'Alerts about what fails, and who gets them.' },
  'alerts.rules': {
    title: 'Rules',
    description:
      'What opens an alert: `on`, `off`, or the threshold of the rule. Without a target, alerts are shown by `dockbell alert list` and on the dashboard.',
  },
  'alerts.targets': { title: 'Targets', description: 'Who gets messages about alerts.' },
  log: { title: 'Log', description: 'The log of the daemon.' },
  telemetry: { title: 'Telemetry', description: 'The export of traces.' },
  factories: { title: 'Factories', description: 'The factories that this daemon serves.' },
  'factories[].source': { title: 'Source', description: 'The source of the definition.' },
  'factories[].notify': {
    title: 'Notify',
    description:
      'Targets that get the result of each commit: git hosts get a commit status, other receivers get a webhook.',
  },
  'factories[].runs.budget': {
    title: 'Budget',
    description: 'Maximum number of attempts that start in a period. Without it, there is no limit.',
    optional: true,
  },
  'factories[].runs.results': {
    title: 'Results',
    description:
      'Targets that get the results of runs: commit statuses, comments on pull requests, and signed callbacks.',
  },
  'factories[].runs.workspaces': {
    title: 'Workspaces',
    description:
      'Repositories, in addition to that of the factory, of which automations may give their runs a checkout.',
  },
  'factories[].runs': { title: 'Runs', description: 'Execution of runs.' },
  'factories[].runs.executor': {
    title: 'Executor',
    description:
      'Executor of the runs. Without an executor, runs stay `queued` and the factory has the condition NoExecutor.',
    optional: true,
  },
} as const satisfies Readonly<Record<string, Section>>;
