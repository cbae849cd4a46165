import { ADMIN_OPTIONS } from './admin-options.ts';
import { ALERT_OPTIONS } from './alert-options.ts';
import { FACTORY_OPTIONS } from './factory-options.ts';
import { LIMIT_OPTIONS } from './limit-options.ts';
import type { Option } from './option.ts';
import { RUN_OPTIONS } from './run-options.ts';
import { STORAGE_OPTIONS } from './storage-options.ts';

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
  ...ADMIN_OPTIONS,
  ...STORAGE_OPTIONS,
  'replica.name': {
    title: 'Replica name',
    type: { kind: 'text', format: 'hostName' },
    default: null,
    description: 'Name of this daemon among those that share its database. Default: the name of the host.',
    examples: ['dockbell-0'],
    env: 'DOCKBELL_REPLICA_NAME',
    secret: false,
  },
  'replica.adminUrl': {
    title: 'Replica admin URL',
    type: { kind: 'text', format: 'baseUrl' },
    default: null,
    description:
      'URL under which the other replicas reach the admin listener of this one. Default: its address, or the first address of this machine if it binds to all.',
    examples: ['http://10.0.0.5:8788'],
    env: 'DOCKBELL_REPLICA_ADMIN_URL',
    secret: false,
  },
  'replica.runLease': {
    title: 'Run lease',
    type: { kind: 'duration', min: '6s', max: '1h' },
    default: '2m',
    description:
      'Time after the last sign of life of a replica in which no other one takes the runs that it executes. A replica that cannot reach the database ends its commands after two thirds of it.',
    examples: ['2m', '30s'],
    env: 'DOCKBELL_REPLICA_RUN_LEASE',
    secret: false,
  },
  trustedProxies: {
    title: 'Trusted proxies',
    type: { kind: 'list', format: 'proxy' },
    default: [],
    description:
      'Addresses and subnets of proxies whose `X-Forwarded-For` header is trusted. A port and brackets around an address are ignored. On the admin listener, `X-Forwarded-Proto` is trusted too.',
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
  ...LIMIT_OPTIONS,
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
      'Retention time of the audit log, which records changes, sign-ins and reads. The log keeps at most one million entries.',
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
    type: { kind: 'choice', values: ['info', 'warn', 'error', 'silent'] },
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
  ...FACTORY_OPTIONS,
  ...RUN_OPTIONS,
} as const satisfies Readonly<Record<string, Option>>;

export type OptionKey = keyof typeof OPTIONS;
