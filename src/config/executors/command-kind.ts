import type { ExecutorKind } from './executor-kind.ts';

/** What the configuration of a factory says about its command. */
export interface CommandSettings {
  /** Program and arguments; paths that were relative to the file are absolute. */
  readonly command: readonly string[];
  /** User of the machine that starts the runs; `null` for the user of the daemon. */
  readonly user: string | null;
}

/** Executor `command`: a program on this machine. */
export const COMMAND_KIND = {
  summary: '`command`: the daemon starts a program on its machine.',
  place: 'machine',
  options: {
    'factories[].runs.executor.command': {
      title: 'Command',
      type: { kind: 'command' },
      onlyWith: 'command',
      default: null,
      required: true,
      description:
        'Program and its arguments, not a shell command line. A program with a `/`, and arguments that start with `./` or `../`, are relative to this file. A program without `/` is looked up in PATH. Other users of the machine can see the arguments, so pass secrets through the `secrets` of an automation.',
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
        'System user that runs start as: a name, or `uid:gid`. Requires a daemon that runs as root, and `runsDir`. Default: the user of the daemon, whose files a run can then read.',
      examples: ['agent', '1500:1500'],
      env: null,
      secret: false,
    },
  },
} as const satisfies ExecutorKind<CommandSettings>;
