import type { ExecutorKind } from '../executor-kind.ts';
import { createCommandExecutor } from './command-executor.ts';
import { findRunUser, openRunsDir, type RunUser } from './run-user.ts';

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
  options: {
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
  },
  create: async ({ command, user }, parts) => {
    const runUser = user === null ? null : await prepareUser(user, parts);
    return createCommandExecutor({ command, user: runUser, ...parts });
  },
} as const satisfies ExecutorKind<CommandSettings>;

async function prepareUser(name: string, parts: { runsDir: string; searchPath: string }): Promise<RunUser> {
  const user = await findRunUser(name, parts.searchPath);
  await openRunsDir(parts.runsDir, user, parts.searchPath);
  return user;
}
