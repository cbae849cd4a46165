import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Daemon } from '../../app/start-daemon.ts';
import { AppError, messageOf } from '../../core/errors.ts';
import type { CliCommand } from '../cli-command.ts';
import { CONFIG_FILE } from '../connection.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import type { Bind, Session } from '../session.ts';

/** `dockbell serve`: the daemon. */
export function registerServeCommand(program: CliCommand, bind: Bind): void {
  program
    .command('serve')
    .description('run the daemon until Ctrl-C: it applies what is committed, takes deliveries and starts runs')
    .option('--config <file>', `configuration (default: ${CONFIG_FILE}, if it exists)`)
    .explain({
      negative: 'the daemon had to stop, or its start met an error that can pass (a full disk, an I/O error)',
      more: 'The log goes to standard output: text on a terminal, else JSON lines. If standard\nerror is a terminal, the first start prints a link to sign in.\nA first Ctrl-C, SIGTERM or SIGHUP stops cleanly, a second one immediately. --data-dir wins over dataDir of the configuration.',
      examples: [
        ['dockbell serve', 'with the dockbell.yaml of this folder'],
        ['dockbell serve --config /etc/dockbell/dockbell.yaml', 'as a service runs it'],
      ],
    })
    .action(bind(serve));
}

async function serve(session: Session, options: { config?: string }): Promise<number> {
  const { context } = session;
  const interrupted = context.catchInterrupts();
  // Loaded here: validate and the like start without the daemon's libraries.
  const { startDaemon } = await import('../../app/start-daemon.ts');
  const configFile = findConfig(options.config, context.cwd);
  const daemon = await explainPassing(
    startDaemon({
      configFile,
      ...(session.globals.dataDir === undefined ? {} : { dataDir: resolve(context.cwd, session.globals.dataDir) }),
      env: context.env,
      log: { format: context.stdout.isTTY === true ? 'text' : 'json', destination: context.stdout },
    }),
  );
  if (daemon.isFirstStart) await printFirstSteps(session, daemon);
  if (daemon.factories.length === 0) noteNoFactory(session, configFile);
  const stop = () => void daemon.stop();
  if (interrupted.aborted) stop();
  else interrupted.addEventListener('abort', stop, { once: true });
  return daemon.exited;
}

/** The link makes whoever opens it an owner, so it goes to a terminal only: standard error of a service is its journal. */
async function printFirstSteps({ context, output }: Session, daemon: Daemon): Promise<void> {
  if (context.stderr.isTTY !== true) {
    output.note("Run 'dockbell login-link' as this user to sign in to the dashboard.");
    return;
  }
  output.note(`Sign in to the dashboard, once and within 24 hours: ${await daemon.createStartLink()}`);
  output.note("Later, 'dockbell login-link' makes another link.");
}

/** A daemon without a factory looks as if it worked. */
function noteNoFactory({ output, context }: Session, configFile: string | null): void {
  if (configFile !== null) {
    output.note(`${configFile} names no factory: no webhook exists and nothing can start.`);
    output.note("Add one under 'factories' and restart the daemon. 'dockbell init my-factory' creates an example.");
    return;
  }
  output.note(`There is no ${CONFIG_FILE} in ${context.cwd} and no factory: no webhook exists and nothing can start.`);
  output.note(
    `Stop this daemon (Ctrl-C) and run 'dockbell init my-factory', which creates a factory with a ${CONFIG_FILE}: its README.md leads to the first run.`,
  );
  output.note('Or start with --config FILE to use an existing configuration.');
}

/** Conditions of the machine that end without anybody correcting a setting. */
const PASSING_CODES = new Set([
  'EIO',
  'ENOSPC',
  'EDQUOT',
  'ENOMEM',
  'EMFILE',
  'ENFILE',
  'EAGAIN',
  'EBUSY',
  'ETIMEDOUT',
]);

/** Exit code 2 tells a service manager not to try again, so it is for what another start meets again. */
async function explainPassing<T>(starting: Promise<T>): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    if (!isPassing(error)) throw error;
    throw new CliError(messageOf(error), {
      hint: 'This can pass: start Dockbell again. Check the disk and the log of the kernel if it stays.',
      exitCode: EXIT_CODES.negative,
      cause: error,
    });
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'storage_unavailable' || isPassing(error.cause);
  return error instanceof Error && 'code' in error && PASSING_CODES.has(String(error.code));
}

function findConfig(named: string | undefined, cwd: string): string | null {
  const path = resolve(cwd, named ?? CONFIG_FILE);
  return named !== undefined || existsSync(path) ? path : null;
}
