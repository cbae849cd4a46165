import { LONGEST_TIMER, type Option } from './option.ts';

/** Options of factories, without those of their runs. They are part of the table of options. */
export const FACTORY_OPTIONS = {
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
    type: { kind: 'choice', values: ['repository', 'managed', 'live'] },
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
    type: { kind: 'choice', values: ['github', 'gitlab', 'gitea', 'forgejo', 'webhook'] },
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
    type: { kind: 'choice', values: ['standard', 'cloudevents'] },
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
} as const satisfies Readonly<Record<string, Option>>;
