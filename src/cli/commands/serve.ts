import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Daemon } from '../../app/daemon.ts';
import type { StopMode } from '../../app/end-daemon.ts';
import { AppError, messageOf, systemErrorCode } from '../../domain/errors.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CONFIG_FILE } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';

/** `dockbell serve`: the daemon. */
export function declareServe(command: CliCommand, bind: Bind): void {
  command
    .option('--config <file>', `configuration (default: ${CONFIG_FILE}, if it exists)`)
    .option('--no-new-runs', 'start no run until dockbell drain --cancel, for maintenance; deliveries are accepted')
    .withExitCodes((_exit, code) => (code === PASSING ? EXIT_CODES.negative : EXIT_CODES.usage))
    .explain({
      negative: 'the daemon failed, or its start failed with a temporary error (a full disk, an I/O error)',
      failures: '2 wrong usage, or another start would fail as well',
      more: 'The log goes to standard output: text on a terminal, otherwise JSON lines. If standard\nerror is a terminal, the first start prints a link to sign in. SIGTERM lets running commands\ncontinue for the time of drain before the daemon stops; Ctrl-C does not. SIGHUP reloads the configuration. A second signal ends the commands\nimmediately. --data-dir takes precedence over dataDir of the configuration.',
      examples: [
        ['dockbell serve', 'with the dockbell.yaml of this folder'],
        ['dockbell serve --config /etc/dockbell/dockbell.yaml', 'as a service'],
      ],
    })
    .action(bind(serve));
}

async function serve(session: CommandSession, options: { config?: string; newRuns: boolean }): Promise<number> {
  const { context } = session;
  const signals = new DaemonSignals(context);
  // Imported here, so that offline commands start without the libraries of the daemon.
  const { startDaemon } = await import('../../app/start-daemon.ts');
  const configFile = findConfig(options.config, context.cwd);
  const daemon = await explainPassing(
    startDaemon({
      configFile,
      ...(session.globals.dataDir === undefined ? {} : { dataDir: resolve(context.cwd, session.globals.dataDir) }),
      noNewRuns: !options.newRuns,
      env: context.env,
      log: { format: context.stdout.isTTY === true ? 'text' : 'json', destination: context.stdout },
    }),
  );
  if (daemon.isFirstStart) await printFirstSteps(session, daemon);
  if (daemon.factories.length === 0) noteNoFactory(session, configFile);
  signals.control(daemon);
  const code = await daemon.exited;
  context.leave(code);
  return code;
}

/** What signals do to a daemon, also those that came while it started. */
class DaemonSignals {
  #daemon: Pick<Daemon, 'stop' | 'reload'> | null = null;
  #mode: StopMode | null = null;

  constructor(context: Pick<CliContext, 'handleSignals' | 'hasTerminal'>) {
    const hadTerminal = context.hasTerminal();
    const release = context.handleSignals((signal) => {
      // A terminal that closes sends the signal, too, and takes the person with it who could stop the daemon.
      if (signal === 'SIGHUP' && !(hadTerminal && !context.hasTerminal())) return this.#reload();
      if (this.#mode === null) return this.#stop(signal === 'SIGTERM' ? 'drain' : 'now');
      release();
      this.#stop('force');
    });
  }

  control(daemon: Pick<Daemon, 'stop' | 'reload'>): void {
    this.#daemon = daemon;
    if (this.#mode !== null) void daemon.stop(this.#mode);
  }

  /** The log reports a failure. A daemon that is starting has just read the configuration. */
  #reload(): void {
    this.#daemon?.reload().catch(() => {});
  }

  #stop(mode: StopMode): void {
    this.#mode = mode;
    void this.#daemon?.stop(mode);
  }
}

/** Anyone who opens the link is an owner. It is printed to a terminal only, because services log their standard error. */
async function printFirstSteps({ context, output }: CommandSession, daemon: Daemon): Promise<void> {
  if (context.stderr.isTTY !== true) {
    output.note("Run 'dockbell login-link' as this user to sign in to the dashboard.");
    return;
  }
  output.note(`Link to sign in to the dashboard, valid once and for 24 hours: ${await daemon.createStartLink()}`);
  output.note("To create another link, run 'dockbell login-link'.");
}

/** A daemon without a factory starts normally, so the missing factory is reported. */
function noteNoFactory({ output, context }: CommandSession, configFile: string | null): void {
  if (configFile !== null) {
    output.note(`${configFile} has no factory: no webhook exists and no run can start.`);
    output.note("Add one under 'factories' and run 'dockbell reload'. 'dockbell init my-factory' creates an example.");
    return;
  }
  output.note(`There is no ${CONFIG_FILE} in ${context.cwd} and no factory: no webhook exists and no run can start.`);
  output.note(
    `Stop this daemon (Ctrl-C) and run 'dockbell init my-factory', which creates a factory with a ${CONFIG_FILE}: its README.md explains the first run.`,
  );
  output.note('Or start with --config FILE to use an existing configuration.');
}

/** Errors of the host that can end without a change of the configuration. */
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

/** The only failure after which service managers must restart the daemon. After all others, another start would fail as well. */
const PASSING = 'storage_unavailable';

async function explainPassing<T>(starting: Promise<T>): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    if (!isPassing(error)) throw error;
    throw new CliError(messageOf(error), {
      hint: 'This error can be temporary: start Dockbell again. If it persists, check PostgreSQL, or the disk and the kernel log.',
      code: PASSING,
      cause: error,
    });
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof AppError) return error.code === PASSING || isPassing(error.cause);
  return PASSING_CODES.has(systemErrorCode(error) ?? '');
}

function findConfig(named: string | undefined, cwd: string): string | null {
  const path = resolve(cwd, named ?? CONFIG_FILE);
  return named !== undefined || existsSync(path) ? path : null;
}
