import type { CliCommand } from './cli-command.ts';
import type { Bind } from './command-session.ts';

/** Adds arguments, options, subcommands and work to a command that has only a name and a description. */
type DeclareCommand = (command: CliCommand, bind: Bind) => void;

interface CommandEntry {
  name: string;
  description: string;
  load(): Promise<DeclareCommand>;
}

interface CommandGroup {
  /** Heading of the group in the help. */
  title: string;
  commands: readonly CommandEntry[];
}

/**
 * The commands, as the help lists them. Only the module of the command that runs is loaded, because loading all of them takes
 * longer than most commands.
 */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    title: 'Start',
    commands: [
      {
        name: 'demo',
        description:
          'run a daemon with the example factories, print a curl command for each webhook, and send one signed event; a schedule starts a run each minute',
        load: async () => (await import('./commands/demo.ts')).declareDemo,
      },
      {
        name: 'init',
        description:
          'create a factory repository: a webhook with samples, an automation, a dockbell.yaml with an executor, schemas for editors, and a pipeline for pull requests',
        load: async () => (await import('./commands/init.ts')).declareInit,
      },
      {
        name: 'dev',
        description:
          'run a throwaway daemon over the files of a folder: it applies each saved file, and prints deliveries, decisions and runs',
        load: async () => (await import('./commands/dev.ts')).declareDev,
      },
      {
        name: 'serve',
        description: 'run the daemon until Ctrl-C: it applies commits, receives deliveries and starts runs',
        load: async () => (await import('./commands/serve.ts')).declareServe,
      },
      {
        name: 'login-link',
        description: 'create a link that signs in to the dashboard as an owner; it works once, for 15 minutes',
        load: async () => (await import('./commands/login-link.ts')).declareLoginLink,
      },
      {
        name: 'status',
        description: 'show which commit is live, which one was attempted last, and problems',
        load: async () => (await import('./commands/status.ts')).declareStatus,
      },
    ],
  },
  {
    title: 'Write',
    commands: [
      {
        name: 'validate',
        description: 'check the definition files of folders, or of a commit, without a daemon, and print all findings',
        load: async () => (await import('./commands/validate.ts')).declareValidate,
      },
      {
        name: 'explain',
        description: 'explain a rule of validate: what is wrong, why, a wrong example and a right one',
        load: async () => (await import('./commands/explain.ts')).declareExplain,
      },
      {
        name: 'test',
        description:
          'evaluate the samples of webhooks, and compare what they start with what they expect; no daemon needed',
        load: async () => (await import('./commands/test.ts')).declareTest,
      },
      {
        name: 'plan',
        description:
          'show what this folder would change in the running daemon, and which runs its changed triggers would have started',
        load: async () => (await import('./commands/plan.ts')).declarePlan,
      },
      {
        name: 'filter',
        description: 'payload filters',
        load: async () => (await import('./commands/filter.ts')).declareFilter,
      },
      {
        name: 'scheme',
        description: 'the signature schemes of providers that webhooks can name',
        load: async () => (await import('./commands/scheme.ts')).declareScheme,
      },
      {
        name: 'schema',
        description: 'list or print the JSON Schemas of definition files and of dockbell.yaml, for editors',
        load: async () => (await import('./commands/schema.ts')).declareSchema,
      },
    ],
  },
  {
    title: 'Operate',
    commands: [
      {
        name: 'factory',
        description: 'the factories of the daemon, and those that its configuration no longer names',
        load: async () => (await import('./commands/factory.ts')).declareFactory,
      },
      {
        name: 'reconcile',
        description: 'fetch the production branch and apply it now, without waiting for the next poll',
        load: async () => (await import('./commands/reconcile.ts')).declareReconcile,
      },
      {
        name: 'reconciliation',
        description: 'reconciliations: the outcome of each revision',
        load: async () => (await import('./commands/reconciliation.ts')).declareReconciliation,
      },
      {
        name: 'pull-request',
        description: 'the open pull requests that the daemon checks, and the outcome of each check',
        load: async () => (await import('./commands/pull-request.ts')).declarePullRequest,
      },
      {
        name: 'history',
        description: 'list the revisions of a managed factory with author, time and change, the most recent first',
        load: async () => (await import('./commands/history.ts')).declareHistory,
      },
      {
        name: 'revert',
        description: 'revert a managed factory to an earlier revision',
        load: async () => (await import('./commands/history.ts')).declareRevert,
      },
      {
        name: 'webhook',
        description: 'the live webhooks of a factory',
        load: async () => (await import('./commands/webhook.ts')).declareWebhook,
      },
      {
        name: 'automation',
        description: 'the live automations of a factory',
        load: async () => (await import('./commands/automation.ts')).declareAutomation,
      },
      {
        name: 'secret',
        description: 'the team secrets that webhooks and runs use',
        load: async () => (await import('./commands/secret.ts')).declareSecret,
      },
      {
        name: 'connect',
        description: 'create, change and check the webhooks at GitHub, GitLab and Linear that post to this daemon',
        load: async () => (await import('./commands/connect.ts')).declareConnect,
      },
      {
        name: 'send',
        description:
          'post a delivery as a real sender does: with bearer token, URL token, or a signature of any scheme',
        load: async () => (await import('./commands/send.ts')).declareSend,
      },
      {
        name: 'listen',
        description:
          'print the accepted deliveries of a webhook as they arrive, and post them to a local URL or to a local dockbell dev',
        load: async () => (await import('./commands/listen.ts')).declareListen,
      },
      {
        name: 'replay',
        description: 'replay stored deliveries: one of them, or all that match filters',
        load: async () => (await import('./commands/replay.ts')).declareReplay,
      },
      {
        name: 'backfill',
        description: 'post deliveries that the daemon missed, from the API of their provider',
        load: async () => (await import('./commands/backfill.ts')).declareBackfill,
      },
      {
        name: 'pause',
        description: 'start no further run of a factory or an automation; deliveries are still accepted',
        load: async () => (await import('./commands/pause.ts')).declarePause,
      },
      {
        name: 'resume',
        description: 'start the runs of a paused factory or automation again',
        load: async () => (await import('./commands/pause.ts')).declareResume,
      },
      {
        name: 'drain',
        description: 'start no further run, for maintenance; deliveries are still accepted',
        load: async () => (await import('./commands/drain.ts')).declareDrain,
      },
    ],
  },
  {
    title: 'Investigate',
    commands: [
      {
        name: 'why',
        description:
          'explain a delivery, run, webhook, automation, commit or secret: what happened, in order, and which fact decided',
        load: async () => (await import('./commands/why.ts')).declareWhy,
      },
      {
        name: 'diagnose',
        description:
          'find out why a delivery was rejected: check the common mistakes and print the one that explains it, with advice',
        load: async () => (await import('./commands/diagnose.ts')).declareDiagnose,
      },
      {
        name: 'delivery',
        description: 'the delivery log: what senders posted, and what it started',
        load: async () => (await import('./commands/delivery.ts')).declareDelivery,
      },
      {
        name: 'run',
        description: 'the runs that deliveries started',
        load: async () => (await import('./commands/run.ts')).declareRun,
      },
      {
        name: 'activity',
        description: 'count deliveries and runs of a factory for each hour',
        load: async () => (await import('./commands/activity.ts')).declareActivity,
      },
      {
        name: 'alert',
        description: 'what needs attention: failed applies and runs, silent senders, rejected requests, full disks',
        load: async () => (await import('./commands/alert.ts')).declareAlert,
      },
      {
        name: 'audit',
        description: 'the audit log: changes and sign-ins, each with user, time and client address',
        load: async () => (await import('./commands/audit.ts')).declareAudit,
      },
      {
        name: 'doctor',
        description:
          'examine an installation, running or stopped: files, disks, clock, git, sources, listeners, public URL',
        load: async () => (await import('./commands/doctor.ts')).declareDoctor,
      },
    ],
  },
  {
    title: 'Administer',
    commands: [
      {
        name: 'config',
        description: 'the configuration of the daemon',
        load: async () => (await import('./commands/config.ts')).declareConfig,
      },
      {
        name: 'reload',
        description: 'apply changes of dockbell.yaml that need no restart, and list those that do',
        load: async () => (await import('./commands/reload.ts')).declareReload,
      },
      {
        name: 'worker',
        description: 'execute the runs of a daemon on this machine, and list the workers of a daemon',
        load: async () => (await import('./commands/worker.ts')).declareWorker,
      },
      {
        name: 'token',
        description: 'API tokens for people, scripts and dashboards',
        load: async () => (await import('./commands/token.ts')).declareToken,
      },
      {
        name: 'user',
        description: 'people who sign in to the dashboard',
        load: async () => (await import('./commands/user.ts')).declareUser,
      },
      {
        name: 'session',
        description: 'browsers that are signed in to the dashboard',
        load: async () => (await import('./commands/session.ts')).declareSession,
      },
      {
        name: 'profile',
        description: 'named connections, for people who work with several daemons',
        load: async () => (await import('./commands/profile.ts')).declareProfile,
      },
      {
        name: 'backup',
        description: 'store a backup in one file, while the daemon runs or is stopped, and verify it',
        load: async () => (await import('./commands/backup.ts')).declareBackup,
      },
      {
        name: 'restore',
        description: 'restore a backup to a new data directory, or only verify it',
        load: async () => (await import('./commands/restore.ts')).declareRestore,
      },
      {
        name: 'storage',
        description: 'the database of a stopped daemon',
        load: async () => (await import('./commands/storage.ts')).declareStorage,
      },
      {
        name: 'key',
        description: 'the master key that encrypts the secrets',
        load: async () => (await import('./commands/key.ts')).declareKey,
      },
      {
        name: 'version',
        description: 'print the versions of this program, Node.js and the operating system',
        load: async () => (await import('./commands/version.ts')).declareVersion,
      },
      {
        name: 'completion',
        description: 'print the completion script for bash, zsh or fish',
        load: async () => (await import('./commands/completion.ts')).declareCompletion,
      },
    ],
  },
];

export const COMMANDS: readonly CommandEntry[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);
