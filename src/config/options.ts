import { ROLES } from '../core/access.ts';
import type { TextFormat } from './text-formats.ts';

/**
 * What an option may hold. Durations are written `30s` and read as milliseconds; a `path` and a local `repository` are
 * resolved against the folder of the file that names them; `choice.later` are values of later versions.
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
  | { kind: 'choice'; values: readonly string[]; later: readonly string[] };

export interface Option {
  /** A name for people, shown by editors. */
  title: string;
  type: OptionType;
  /** As it would be written; `null` where the description says what happens. */
  default: string | number | boolean | readonly string[] | null;
  /** Must be written wherever its section is. */
  required?: true;
  /** Belongs to its section only where the section's `type` is this; elsewhere it is neither required nor known. */
  onlyWith?: string;
  /** What a number counts; durations carry their own. */
  unit?: string;
  description: string;
  /** Values worth copying, as they are written. */
  examples: readonly (string | number | boolean | readonly string[])[];
  /** The environment variable that sets it, over the file. Lists are separated by commas. */
  env: string | null;
  /** May hold a credential: its value appears in no error. */
  secret: boolean;
}

/** The longest a timer of Node.js can wait is a little under 25 days. */
const LONGEST_TIMER = '24d';

/** Every key of `dockbell.yaml`. `[]` stands for each item of a list. All else about configuration follows from here. */
export const OPTIONS = {
  baseUrl: {
    title: 'Base URL',
    type: { kind: 'text', format: 'baseUrl' },
    default: null,
    description:
      'The public address that senders use, without `/webhooks/...`. Ingress URLs are shown with it. By default the address of the ingress listener.',
    examples: ['https://hooks.example.com'],
    env: 'DOCKBELL_BASE_URL',
    secret: false,
  },
  dataDir: {
    title: 'Data directory',
    type: { kind: 'path' },
    default: './.dockbell',
    description: 'Folder of the database, the git mirrors and the files of runs. One daemon at a time uses it.',
    examples: ['./.dockbell', '/var/lib/dockbell'],
    env: 'DOCKBELL_DATA_DIR',
    secret: false,
  },
  runsDir: {
    title: 'Directory of runs',
    type: { kind: 'path' },
    default: null,
    description:
      'Folder that holds a directory for each run. By default `runs` in `dataDir`. Runs with a user of their own need a folder outside of `dataDir`.',
    examples: ['/var/lib/dockbell-runs'],
    env: 'DOCKBELL_RUNS_DIR',
    secret: false,
  },
  masterKeyFile: {
    title: 'Master key file',
    type: { kind: 'path' },
    default: null,
    description:
      'File of the master key that encrypts the team secrets: base64 of 32 bytes, mode 0600, made at the first start. By default `master.key` in `dataDir`. `DOCKBELL_MASTER_KEY` holds the key itself and wins over the file.',
    examples: ['./master.key', '/run/secrets/dockbell-master-key'],
    env: 'DOCKBELL_MASTER_KEY_FILE',
    secret: false,
  },
  'ingress.host': {
    title: 'Ingress host',
    type: { kind: 'text', format: 'listenHost' },
    default: '127.0.0.1',
    description: 'Address that the public listener binds: it serves deliveries and nothing else.',
    examples: ['127.0.0.1', '0.0.0.0', '::'],
    env: 'DOCKBELL_INGRESS_HOST',
    secret: false,
  },
  'ingress.port': {
    title: 'Ingress port',
    type: { kind: 'integer', min: 0, max: 65_535 },
    default: 8787,
    description: 'Its port; 0 takes any free one, written to `daemon.json` in `dataDir`.',
    examples: [8787, 0],
    env: 'DOCKBELL_INGRESS_PORT',
    secret: false,
  },
  'admin.host': {
    title: 'Admin host',
    type: { kind: 'text', format: 'listenHost' },
    default: '127.0.0.1',
    description: 'Address that the management API and the metrics bind. Keep it private.',
    examples: ['127.0.0.1', '10.0.0.5'],
    env: 'DOCKBELL_ADMIN_HOST',
    secret: false,
  },
  'admin.port': {
    title: 'Admin port',
    type: { kind: 'integer', min: 0, max: 65_535 },
    default: 8788,
    description: 'Its port; 0 takes any free one, written to `daemon.json` in `dataDir`.',
    examples: [8788, 0],
    env: 'DOCKBELL_ADMIN_PORT',
    secret: false,
  },
  'admin.url': {
    title: 'Admin URL',
    type: { kind: 'text', format: 'originUrl' },
    default: null,
    description:
      'The address where browsers reach the dashboard, where that is another than the listener: that of the proxy in front of it, as a rule. Its name is allowed in the `Host` header; with `https` session cookies are for TLS only. By default the address of the admin listener.',
    examples: ['https://dockbell.example.com'],
    env: 'DOCKBELL_ADMIN_URL',
    secret: false,
  },
  'admin.sessionIdle': {
    title: 'Idle time of sessions',
    type: { kind: 'duration', min: '1m', max: '12h' },
    default: '30m',
    description: 'A session of the dashboard ends when it was not used for so long.',
    examples: ['30m', '12h'],
    env: 'DOCKBELL_ADMIN_SESSION_IDLE',
    secret: false,
  },
  'admin.sessionLifetime': {
    title: 'Lifetime of sessions',
    type: { kind: 'duration', min: '1m', max: '7d' },
    default: '12h',
    description: 'A session of the dashboard ends after so long, however much it is used.',
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
      'Issuer identifier of the OpenID provider, exactly as its discovery document names it. It is asked at the first sign-in, not at the start. `https`, but for this machine itself.',
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
      'Name of this daemon at the provider. Register it there with the redirect URI `<admin.url>/auth/oidc/callback`.',
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
      'Its secret at the provider. Put it in an environment variable, `${OIDC_CLIENT_SECRET}`, or in a file (`clientSecretFile`). Without one the daemon is a public client, which PKCE protects.',
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
      'File of the client secret, in place of `clientSecret`. Read at the start; a line break at its end does not count.',
    examples: ['/run/secrets/dockbell-oidc'],
    env: 'DOCKBELL_ADMIN_OIDC_CLIENT_SECRET_FILE',
    secret: false,
  },
  'admin.oidc.label': {
    title: 'Label',
    type: { kind: 'text', format: 'visibleText' },
    default: null,
    description: 'How the sign-in page calls the provider: "Sign in with ...". By default the host of the issuer.',
    examples: ['Example SSO'],
    env: null,
    secret: false,
  },
  'admin.oidc.scopes': {
    title: 'Scopes',
    type: { kind: 'list', format: 'scope' },
    default: ['openid', 'profile', 'email'],
    description:
      'What the provider is asked for; `openid` always. Some providers tell the groups only for a scope of their own.',
    examples: [['openid', 'profile', 'email', 'groups']],
    env: null,
    secret: false,
  },
  'admin.oidc.groupsClaim': {
    title: 'Claim of the groups',
    type: { kind: 'text', format: 'visibleText' },
    default: 'groups',
    description:
      'The claim that holds the groups of a user: a text or a list of texts; `a.b` is `b` inside of `a`. Where the ID token has none, the user info endpoint is asked.',
    examples: ['groups', 'realm_access.roles'],
    env: null,
    secret: false,
  },
  'admin.oidc.defaultRole': {
    title: 'Default role',
    type: { kind: 'choice', values: ROLES, later: [] },
    default: null,
    description: 'The role of users in none of the `groups`, for all factories. By default these cannot sign in.',
    examples: ['viewer'],
    env: null,
    secret: false,
  },
  'admin.oidc.allowedDomains': {
    title: 'Allowed domains',
    type: { kind: 'list', format: 'hostName' },
    default: [],
    description:
      'Domains of e-mail addresses that may sign in; the provider has to say that the address is verified (`email_verified`). By default the address does not matter.',
    examples: [['example.com']],
    env: null,
    secret: false,
  },
  'admin.oidc.groups[].name': {
    title: 'Name of the group',
    type: { kind: 'text', format: 'visibleText' },
    default: null,
    required: true,
    description: 'The group exactly as the claim holds it.',
    examples: ['platform-team', '/platform-team'],
    env: null,
    secret: false,
  },
  'admin.oidc.groups[].role': {
    title: 'Role of the group',
    type: { kind: 'choice', values: ROLES, later: [] },
    default: null,
    required: true,
    description:
      'What its members may do. Who is in several groups has the highest of their roles. It is looked up at every sign-in.',
    examples: ['owner', 'operator'],
    env: null,
    secret: false,
  },
  'admin.oidc.groups[].factories': {
    title: 'Factories of the group',
    type: { kind: 'list', format: 'factoryName' },
    default: null,
    description:
      'Names of the factories that its members are limited to. By default all. Of several groups those with the highest role count, and together.',
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
      'Names, with or without port, that the admin listener answers to beside loopback; a `Host` header with another name is refused.',
    examples: [['dockbell.example.com']],
    env: 'DOCKBELL_ADMIN_ALLOWED_HOSTS',
    secret: false,
  },
  'storage.type': {
    title: 'Storage type',
    type: { kind: 'choice', values: ['sqlite'], later: ['postgres'] },
    default: 'sqlite',
    description: 'Where deliveries, runs and definitions are stored. `sqlite` is a file in `dataDir`.',
    examples: ['sqlite'],
    env: 'DOCKBELL_STORAGE_TYPE',
    secret: false,
  },
  trustedProxies: {
    title: 'Trusted proxies',
    type: { kind: 'list', format: 'proxy' },
    default: [],
    description:
      'Addresses and subnets of proxies whose `X-Forwarded-For` is believed; on the admin listener also their `X-Forwarded-Proto`.',
    examples: [['10.0.0.0/8', '192.0.2.1']],
    env: 'DOCKBELL_TRUSTED_PROXIES',
    secret: false,
  },
  'limits.deliveriesPerMinute': {
    title: 'Deliveries per minute',
    type: { kind: 'integer', min: 1, max: 100_000 },
    default: 60,
    unit: 'requests',
    description: 'Authenticated requests that each webhook takes in any 60 seconds; more are answered with 429.',
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
      'Failed authentications of one client address at one webhook in any 60 seconds that are answered with 401; more get 429.',
    examples: [30],
    env: 'DOCKBELL_LIMITS_FAILED_AUTH_PER_MINUTE',
    secret: false,
  },
  'limits.bodyBytes': {
    title: 'Body size',
    type: { kind: 'integer', min: 1, max: 16_777_216 },
    default: 262_144,
    unit: 'bytes',
    description: 'The longest body of a delivery; longer ones are answered with 413.',
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
      'Webhooks that one factory may declare, disabled ones included. `dockbell validate`, which asks no daemon, counts against the default.',
    examples: [20],
    env: 'DOCKBELL_LIMITS_WEBHOOKS_PER_FACTORY',
    secret: false,
  },
  'retention.deliveries': {
    title: 'Retention of deliveries',
    type: { kind: 'duration', min: '1m', max: '36500d' },
    default: '7d',
    description: 'How long entries of the delivery log and their payloads are kept.',
    examples: ['7d', '30d'],
    env: 'DOCKBELL_RETENTION_DELIVERIES',
    secret: false,
  },
  'retention.minDeliveries': {
    title: 'Deliveries always kept',
    type: { kind: 'integer', min: 0, max: 1_000_000 },
    default: 50,
    unit: 'entries',
    description: 'The newest entries of each webhook that are kept whatever their age.',
    examples: [50],
    env: 'DOCKBELL_RETENTION_MIN_DELIVERIES',
    secret: false,
  },
  'retention.identities': {
    title: 'Retention of identities',
    type: { kind: 'duration', min: '1m', max: '36500d' },
    default: '90d',
    description:
      'How long a repeated delivery is recognised as a duplicate. At least as long as `retention.deliveries`, which raises the default.',
    examples: ['90d'],
    env: 'DOCKBELL_RETENTION_IDENTITIES',
    secret: false,
  },
  'retention.runs': {
    title: 'Retention of runs',
    type: { kind: 'duration', min: '1m', max: '36500d' },
    default: '30d',
    description: 'How long ended runs, their files and their logs are kept.',
    examples: ['30d'],
    env: 'DOCKBELL_RETENTION_RUNS',
    secret: false,
  },
  'retention.runBytes': {
    title: 'Space for ended runs',
    type: { kind: 'integer', min: 1_048_576, max: Number.MAX_SAFE_INTEGER },
    default: 10_737_418_240,
    unit: 'bytes',
    description:
      'Space on disk that the files and logs of ended runs may take together, 10 GiB by default. Beyond it those of the oldest runs are removed before their time; the runs themselves stay in the list.',
    examples: [10_737_418_240],
    env: 'DOCKBELL_RETENTION_RUN_BYTES',
    secret: false,
  },
  'retention.audit': {
    title: 'Retention of the audit log',
    type: { kind: 'duration', min: '1d', max: '36500d' },
    default: '365d',
    description:
      'How long entries of the audit log are kept: who changed what, and who signed in. At most a million are.',
    examples: ['365d', '90d'],
    env: 'DOCKBELL_RETENTION_AUDIT',
    secret: false,
  },
  'log.level': {
    title: 'Log level',
    type: { kind: 'choice', values: ['info', 'warn', 'error', 'silent'], later: [] },
    default: 'info',
    description:
      'Least severe level that is logged. `silent` logs nothing; errors of the configuration and of a failed start are still printed.',
    examples: ['info', 'warn'],
    env: 'DOCKBELL_LOG_LEVEL',
    secret: false,
  },
  shutdownGrace: {
    title: 'Shutdown grace',
    type: { kind: 'duration', min: '0s', max: '1h' },
    default: '10s',
    description: 'How long running commands may take to end on a clean stop, after SIGTERM and before SIGKILL.',
    examples: ['10s', '1m'],
    env: 'DOCKBELL_SHUTDOWN_GRACE',
    secret: false,
  },
  'factories[].name': {
    title: 'Factory name',
    type: { kind: 'text', format: 'factoryName' },
    default: null,
    required: true,
    description: 'Name of the factory, unique. It stands in the database: another name is another factory.',
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
      'Where the definition lives. `repository`: a git repository that the team owns, changed by commits. `managed`: a git repository in the data directory, changed by the API and the command line, with history and revert. `live`: the database, changed by the API and the command line, with rename and rotation. With another type than before, `managed` and `live` take over what the factory serves.',
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
      'The repository: an https, ssh or file URL, `git@host:path`, or a local path relative to this file. Put a password in an environment variable: `https://user:${GIT_TOKEN}@host/path`.',
    examples: ['../payments-factory.git', 'https://git.example.com/team/payments-factory.git'],
    env: null,
    secret: true,
  },
  'factories[].source.branch': {
    title: 'Production branch',
    type: { kind: 'text', format: 'branch' },
    onlyWith: 'repository',
    default: 'main',
    description: 'The production branch. Other branches change nothing.',
    examples: ['main', 'production'],
    env: null,
    secret: false,
  },
  'factories[].source.path': {
    title: 'Folder of the factory',
    type: { kind: 'text', format: 'folder' },
    onlyWith: 'repository',
    default: '.',
    description: 'Folder inside the repository that holds `webhooks/` and `automations/`.',
    examples: ['.', 'factories/payments'],
    env: null,
    secret: false,
  },
  'factories[].source.pollInterval': {
    title: 'Poll interval',
    type: { kind: 'duration', min: '1s', max: LONGEST_TIMER },
    onlyWith: 'repository',
    default: '30s',
    description: 'How often a remote repository is asked for a new commit. A local one is watched, not polled.',
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
      'Name of a webhook of this factory that the git host posts its pushes to: each accepted delivery about the production branch is reconciled at once instead of at the next poll. Polling goes on beside it.',
    examples: ['git-push'],
    env: null,
    secret: false,
  },
  'factories[].notify[].type': {
    title: 'Type of target',
    type: { kind: 'choice', values: ['github', 'gitlab', 'gitea', 'forgejo', 'webhook'], later: [] },
    default: null,
    required: true,
    description:
      'Who is told. A git host gets a commit status; `webhook` gets a POST that is signed as Standard Webhooks describe, with every finding in it.',
    examples: ['github'],
    env: null,
    secret: false,
  },
  'factories[].notify[].url': {
    title: 'URL of the target',
    type: { kind: 'text', format: 'httpUrl' },
    default: null,
    description:
      'The base of the API of the git host, or where a `webhook` is posted to. By default `https://api.github.com` for `github` and `https://gitlab.com/api/v4` for `gitlab`; must be written for all others. Tokens are sent over https only, but for this machine itself.',
    examples: ['https://git.example.com/api/v1', 'https://ghe.example.com/api/v3'],
    env: null,
    secret: true,
  },
  'factories[].notify[].repository': {
    title: 'Repository at the git host',
    type: { kind: 'text', format: 'repositoryName' },
    default: null,
    description:
      'Owner and name of the repository as the git host calls it, for `gitlab` the path or the number of the project. By default what `source.url` names, where that is a repository of the same host.',
    examples: ['team/payments-factory', 'group/subgroup/payments-factory'],
    env: null,
    secret: false,
  },
  'factories[].notify[].secretName': {
    title: 'Secret of the target',
    type: { kind: 'text', format: 'secretName' },
    default: null,
    required: true,
    description:
      'Name of the team secret that holds the access token for the git host, or the signing secret (`whsec_...`) of a `webhook`. Its newest value counts, without an apply.',
    examples: ['GITHUB_STATUS_TOKEN'],
    env: null,
    secret: false,
  },
  'factories[].notify[].context': {
    title: 'Context of the status',
    type: { kind: 'text', format: 'statusContext' },
    default: null,
    description:
      'The name under which the git host shows the status, beside those of other systems. By default `dockbell/` and the name of the factory.',
    examples: ['dockbell/payments'],
    env: null,
    secret: false,
  },
  'factories[].notify[].targetUrl': {
    title: 'Link of the status',
    type: { kind: 'text', format: 'httpUrl' },
    default: null,
    description: 'A page that the status links to, for example a dashboard. By default there is no link.',
    examples: ['https://dockbell.example.com/'],
    env: null,
    secret: false,
  },
  'factories[].runs.executor.type': {
    title: 'Executor type',
    type: { kind: 'choice', values: ['command', 'queue'], later: ['http'] },
    default: null,
    required: true,
    description:
      'What carries a run out. `command` starts a program on this machine; with `queue`, workers anywhere claim runs over the management API.',
    examples: ['command', 'queue'],
    env: null,
    secret: false,
  },
  'factories[].runs.executor.command': {
    title: 'Command',
    type: { kind: 'command' },
    onlyWith: 'command',
    default: null,
    required: true,
    description:
      'The program and its arguments, never a shell line. A program written with a `/`, and arguments that start with `./` or `../`, are relative to this file; a program without `/` is found on the PATH. Arguments are visible to other users of the machine: pass secrets by the `secrets` of an automation.',
    examples: [['./agent.sh'], ['node', './agent.mjs', '--quiet']],
    env: null,
    secret: false,
  },
  'factories[].runs.executor.user': {
    title: 'User of runs',
    type: { kind: 'text', format: 'systemUser' },
    onlyWith: 'command',
    default: null,
    description:
      'User of this machine that runs are started as: a name, or `uid:gid`. Needs a daemon that runs as root, and `runsDir`. By default the user of the daemon, whose every file a run can then read.',
    examples: ['agent', '1500:1500'],
    env: null,
    secret: false,
  },
  'factories[].runs.executor.timeout': {
    title: 'Timeout of a run',
    type: { kind: 'duration', min: '1s', max: LONGEST_TIMER },
    default: '30m',
    description:
      'How long a run may take before its processes are stopped and it ends as failed. A worker is told so by its next heartbeat.',
    examples: ['30m', '2h'],
    env: null,
    secret: false,
  },
  'factories[].runs.executor.lease': {
    title: 'Lease',
    type: { kind: 'duration', min: '1s', max: '1h' },
    onlyWith: 'queue',
    default: '1m',
    description:
      'How long a worker may be silent. A run whose worker sent no heartbeat for so long is given to another one as its next attempt, up to the third.',
    examples: ['1m', '5m'],
    env: null,
    secret: false,
  },
  'factories[].runs.concurrency': {
    title: 'Concurrency',
    type: { kind: 'integer', min: 1, max: 1000 },
    default: 4,
    unit: 'runs',
    description: 'Runs of this factory that are carried out at the same time; the others wait.',
    examples: [4, 1],
    env: null,
    secret: false,
  },
  'factories[].runs.retry': {
    title: 'Retry',
    type: { kind: 'choice', values: ['never', 'interrupted'], later: [] },
    default: 'never',
    description:
      'What happens to a run whose command a crash or a stop of the daemon interrupted: `never` leaves it failed for a person to decide, `interrupted` starts it again. Choose `interrupted` only for commands that may run twice.',
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

/** Sections of the file: keys that hold other keys. `optional` ones may be absent although they hold required keys. */
export const SECTIONS = {
  ingress: { title: 'Ingress', description: 'The public listener.' },
  admin: { title: 'Admin', description: 'The private listener: management API, metrics, health.' },
  'admin.oidc': {
    title: 'OpenID Connect',
    description: 'Sign-in at an OpenID provider, beside passwords, API tokens and login links.',
    optional: true,
  },
  'admin.oidc.groups': {
    title: 'Groups',
    description: 'What the groups at the provider may do here. Who is in none of them cannot sign in.',
  },
  storage: { title: 'Storage', description: 'The database.' },
  limits: { title: 'Limits', description: 'What senders may do.' },
  retention: { title: 'Retention', description: 'How long things are kept.' },
  log: { title: 'Log', description: 'What the daemon writes to its log.' },
  factories: { title: 'Factories', description: 'The factories that this daemon serves.' },
  'factories[].source': { title: 'Source', description: 'Where the definition comes from.' },
  'factories[].notify': {
    title: 'Notify',
    description:
      'Who is told of the outcome of each commit: git hosts as a commit status, or any receiver of webhooks.',
  },
  'factories[].runs': { title: 'Runs', description: 'How runs are carried out.' },
  'factories[].runs.executor': {
    title: 'Executor',
    description: 'What carries runs out. Without it runs stay `queued` and the factory shows the condition NoExecutor.',
    optional: true,
  },
} as const satisfies Readonly<Record<string, Section>>;
