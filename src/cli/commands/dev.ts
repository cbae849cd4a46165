import { readFile, realpath } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError } from '../exit-codes.ts';
import { countOption } from '../input/value-options.ts';
import { hasDefinition, suggestFactories } from '../offline/find-factories.ts';

interface DevOptions {
  exec: string | boolean;
  envFile?: string;
  port?: number;
  adminPort?: number;
  keep?: boolean;
  verbose?: boolean;
}

/** The file with secrets that is read if it exists. */
const ENV_FILE = '.env';
/** Where `--keep` stores the data, in the folder of the factory. */
const KEPT_DATA_DIR = '.dockbell/dev';
const MAX_PORT = 65_535;

/** `dockbell dev`: a throwaway daemon over the files of a folder. */
export function declareDev(command: CliCommand, bind: Bind): void {
  command
    .argument('[dir]', 'folder of the factory', '.')
    .option('--exec <command>', 'execute each run with this shell command (default: the executor in dockbell.yaml)')
    .option('--no-exec', 'execute no run, only print its prompt')
    .option(
      '--env-file <file>',
      `file with values of secrets, as NAME=value (default: ${ENV_FILE} of the folder, if it exists)`,
    )
    .addOption(countOption('--port <port>', 'port for deliveries (default: a free one)', MAX_PORT))
    .addOption(
      countOption(
        '--admin-port <port>',
        'port of the dashboard and the management API (default: a free one)',
        MAX_PORT,
      ),
    )
    .option(
      '--keep',
      `keep the data in ${KEPT_DATA_DIR} of the folder, or in --data-dir, and continue with it (default: delete it)`,
    )
    .option('--verbose', 'print the log of the daemon too')
    .explain({
      negative: 'the daemon failed',
      failures: '2 wrong usage',
      more:
        'Every saved file is validated and applied, without a commit. If the files are invalid, the findings are printed, and\n' +
        'the last valid definition stays live. Secrets come from variables of the environment with their names, or from the\n' +
        'file of --env-file; others are generated and printed. Without an executor, each run prints its prompt. A command of\n' +
        '--exec gets the prompt on standard input, and the folder in which dev was started as $DEV_DIR. Other commands in the\n' +
        'folder, such as dockbell send, use this daemon while it runs. On a terminal, the key s sends a sample of a\n' +
        'webhook, and the keys 1 to 9 choose the webhook. Ctrl-C stops the daemon and deletes its data.',
      examples: [
        ['dockbell dev', 'the factory in this folder'],
        ['dockbell dev factories/payments --port 9000', 'another folder, with a fixed port for senders'],
        ['dockbell dev --exec \'node "$DEV_DIR/agent.mjs"\'', 'execute runs with a program of this folder'],
        ['dockbell dev --no-exec', 'only show which runs would start'],
      ],
    })
    .action(bind(dev));
}

async function dev(session: CommandSession, options: DevOptions, folder: string): Promise<number> {
  const { context, globals } = session;
  const stop = context.catchInterrupts();
  const dir = await findFolder(resolve(context.cwd, folder));
  const kept = globals.dataDir ?? (options.keep ? join(dir, KEPT_DATA_DIR) : null);
  // Imported here, so that the help starts without the libraries of the daemon.
  const { runDev } = await import('../dev/run-dev.ts');
  return runDev({
    session,
    dir,
    shownDir: relative(context.cwd, dir),
    kept: kept === null ? null : resolve(context.cwd, kept),
    choice: { command: typeof options.exec === 'string' ? options.exec : null, isDry: options.exec === false },
    variables: await readVariables(dir, context.cwd, options.envFile),
    ports: { ingress: options.port ?? 0, admin: options.adminPort ?? 0 },
    isVerbose: options.verbose === true,
    stop,
  });
}

async function findFolder(dir: string): Promise<string> {
  const folder = await realpath(dir).catch(() => null);
  if (folder === null) throw new CliError(`The folder ${dir} does not exist.`);
  if (await hasDefinition(folder)) return folder;
  throw new CliError(`${dir} contains no factory.`, { hint: await suggestFactories(folder) });
}

async function readVariables(dir: string, cwd: string, named: string | undefined) {
  const file = named === undefined ? join(dir, ENV_FILE) : resolve(cwd, named);
  try {
    return parseEnv(await readFile(file, 'utf8'));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (named === undefined && code === 'ENOENT') return {};
    throw new CliError(`${file} cannot be read (${code}).`, { cause });
  }
}
