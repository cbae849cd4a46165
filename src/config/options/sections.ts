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
  'storage.s3': {
    title: 'S3',
    description:
      'Object store for the logs of runs, with `storage.type: postgres`. Without this section, they stay in the database.',
    optional: true,
  },
  replica: { title: 'Replica', description: 'This daemon among those that share a database of PostgreSQL.' },
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
  'factories[].pullRequests': {
    title: 'Pull requests',
    description:
      'Checks of the open pull requests that target the production branch and change the factory: a commit status, and a comment with the plan. Only with `source.type: repository`. Without this section, there are none.',
    optional: true,
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
