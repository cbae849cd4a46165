import { BUDGET_OUTCOMES } from '../../domain/runs/run-policy.ts';
import { EXECUTOR_NAMES, EXECUTOR_OPTIONS, EXECUTORS } from '../executors/executors.ts';
import { LONGEST_TIMER, type Option } from './option.ts';

const EXECUTOR_SUMMARIES = EXECUTOR_NAMES.map((name) => EXECUTORS[name].summary).join(' ');

/** Options of the runs of factories. They are part of the table of options. */
export const RUN_OPTIONS = {
  'factories[].runs.executor.type': {
    title: 'Executor type',
    type: { kind: 'choice', values: EXECUTOR_NAMES },
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
    type: { kind: 'choice', values: BUDGET_OUTCOMES },
    default: 'queue',
    description:
      'The outcome of a run over the budget. `queue`: it waits until the budget allows another start. `skip`: it ends without a start.',
    examples: ['queue', 'skip'],
    env: null,
    secret: false,
  },
  'factories[].runs.results[].type': {
    title: 'Result target type',
    type: { kind: 'choice', values: ['github', 'gitlab', 'gitea', 'forgejo', 'webhook'] },
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
    type: { kind: 'choice', values: ['status', 'comment'] },
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
      'Whether the target may have a private, loopback or reserved address. Each address is checked when Dockbell connects to it. The default is false, because the payload of a sender decides where at the target a result is posted.',
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
    type: { kind: 'choice', values: ['never', 'interrupted'] },
    default: 'never',
    description:
      'Action for a run whose command was interrupted by a crash or a stop of the daemon: `never` marks the run as failed, `interrupted` starts it again. Use `interrupted` only for commands that may run twice.',
    examples: ['never'],
    env: null,
    secret: false,
  },
} as const satisfies Readonly<Record<string, Option>>;
