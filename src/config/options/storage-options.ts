import type { Option } from './option.ts';

/** Options of the storage. They are part of the table of options. */
export const STORAGE_OPTIONS = {
  'storage.type': {
    title: 'Storage type',
    type: { kind: 'choice', values: ['sqlite', 'postgres'] },
    default: 'sqlite',
    description:
      'Storage of deliveries, runs and definitions. `sqlite` is a file in `dataDir`. `postgres` is a database of PostgreSQL 14 or newer, which several daemons can share.',
    examples: ['sqlite'],
    env: 'DOCKBELL_STORAGE_TYPE',
    secret: false,
  },
  'storage.url': {
    title: 'Database URL',
    type: { kind: 'text', format: 'postgresUrl' },
    default: null,
    description:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it shows what to write
      'URL of the database, with `storage.type: postgres`. Put passwords in an environment variable: `${DATABASE_URL}`.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it shows what to write
    examples: ['${DATABASE_URL}'],
    env: 'DOCKBELL_STORAGE_URL',
    secret: true,
  },
  'storage.pool': {
    title: 'Database connections',
    type: { kind: 'integer', min: 2, max: 100 },
    default: 10,
    description:
      'Maximum number of connections to the database, with `storage.type: postgres`. One more is for the group of the daemons that share it.',
    examples: [10],
    env: 'DOCKBELL_STORAGE_POOL',
    secret: false,
  },
  'storage.s3.bucket': {
    title: 'Bucket',
    type: { kind: 'text', format: 'bucketName' },
    default: null,
    required: true,
    description: 'Bucket of the logs. It must exist.',
    examples: ['dockbell-logs'],
    env: null,
    secret: false,
  },
  'storage.s3.prefix': {
    title: 'Prefix',
    type: { kind: 'text', format: 'objectPrefix' },
    default: 'run-logs',
    description: 'Beginning of the keys of all objects, without a slash at the end. Each run has a folder below it.',
    examples: ['run-logs', 'production/run-logs'],
    env: 'DOCKBELL_STORAGE_S3_PREFIX',
    secret: false,
  },
  'storage.s3.region': {
    title: 'Region',
    type: { kind: 'text', format: 'visibleText' },
    default: 'us-east-1',
    description: 'Region of the bucket. Many compatible stores accept any region.',
    examples: ['eu-central-1'],
    env: 'DOCKBELL_STORAGE_S3_REGION',
    secret: false,
  },
  'storage.s3.endpoint': {
    title: 'Endpoint',
    type: { kind: 'text', format: 'baseUrl' },
    default: null,
    description:
      'URL of an S3-compatible store. The bucket is then part of the path, not of the host name. Default: Amazon S3 in the region.',
    examples: ['https://s3.example.com'],
    env: 'DOCKBELL_STORAGE_S3_ENDPOINT',
    secret: false,
  },
  'storage.s3.accessKeyId': {
    title: 'Access key ID',
    type: { kind: 'text', format: 'visibleText' },
    default: null,
    description:
      'Access key, together with `secretAccessKey`. Default: the sources of the AWS SDK, such as `AWS_ACCESS_KEY_ID`, the file of `AWS_SHARED_CREDENTIALS_FILE`, or the role of the machine or pod.',
    examples: ['AKIAIOSFODNN7EXAMPLE'],
    env: 'DOCKBELL_STORAGE_S3_ACCESS_KEY_ID',
    secret: false,
  },
  'storage.s3.secretAccessKey': {
    title: 'Secret access key',
    type: { kind: 'text', format: 'visibleText' },
    default: null,
    description:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it shows what to write
      'Secret of the access key. Put it in an environment variable: `${S3_SECRET_ACCESS_KEY}`.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it shows what to write
    examples: ['${S3_SECRET_ACCESS_KEY}'],
    env: 'DOCKBELL_STORAGE_S3_SECRET_ACCESS_KEY',
    secret: true,
  },
} as const satisfies Readonly<Record<`storage.${string}`, Option>>;
