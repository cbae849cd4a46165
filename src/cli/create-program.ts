import { type Command, Help } from 'commander';
import { readPackageVersion } from '../platform/files/package-version.ts';
import { CliCommand } from './cli-command.ts';
import { COMMAND_GROUPS, COMMANDS } from './command-directory.ts';
import type { Bind, CommandWork } from './command-session.ts';
import type { ConnectionOptions } from './connection.ts';
import { CONFIG_FILE, DEFAULT_DATA_DIR } from './connection.ts';
import type { CliContext } from './context.ts';
import { EXIT_CODES, exitCodeOf } from './exit-codes.ts';
import { hasColors } from './output/colors.ts';

/** The command line. Its commands have only names and descriptions until they are declared. */
interface Program {
  program: CliCommand;
  /** Loads the command of this name, with its arguments, options and subcommands. Ignores names of no command. */
  declare(name: string | undefined): Promise<void>;
  /** Loads all commands. */
  declareAll(): Promise<void>;
  /** The exit code of the command, after `parseAsync`. */
  exitCode(): number;
  /** The exit code for an error that the command threw. */
  exitCodeOf(error: unknown): number;
}

/** Creates the command line with the names of all commands. `declare` the command that runs before `parseAsync`. */
export function createProgram(context: CliContext): Program {
  let exitCode: number = EXIT_CODES.done;
  let running: CliCommand | null = null;
  const bind = createBind(context, {
    begin: (command) => {
      running = command;
    },
    end: (code) => {
      exitCode = code;
    },
  });
  const program = createRoot(context);
  for (const { title, commands } of COMMAND_GROUPS) {
    program.commandsGroup(`${title}:`);
    for (const { name, description } of commands) program.command(name).description(description);
  }
  const declare = async (name: string | undefined) => {
    const load = COMMANDS.find((entry) => entry.name === name)?.load;
    if (name === undefined || load === undefined) return;
    const declareCommand = await load();
    declareCommand(program.findSubcommand(name), bind);
  };
  declareHelp(program.command('help').description('show the help of a command'), declare);
  declareComplete(program.command('__complete', { hidden: true }), declare, context);
  return {
    program,
    declare,
    declareAll: async () => {
      for (const { name } of COMMANDS) await declare(name);
    },
    exitCode: () => exitCode,
    exitCodeOf: (error) => running?.exitCodeOf(error) ?? exitCodeOf(error),
  };
}

interface Progress {
  begin(command: CliCommand): void;
  end(exitCode: number): void;
}

function createBind(context: CliContext, { begin, end }: Progress): Bind {
  return <Options, Args extends unknown[]>(work: CommandWork<Options, Args>) =>
    async (...given: unknown[]) => {
      // Imported here, so that help and version start without the client and the output of commands.
      const { CommandSession } = await import('./command-session.ts');
      // Commander passes the arguments, then the options, then the command.
      const command = given.at(-1) as CliCommand;
      begin(command);
      const session = new CommandSession(context, command.optsWithGlobals<ConnectionOptions>());
      try {
        end(await work(session, command.opts() as Options, ...(given.slice(0, -2) as Args)));
      } catch (error) {
        throw await session.explainFailure(error);
      } finally {
        await session.close();
      }
    };
}

/** Commander's help command does not support subcommands of groups. */
function declareHelp(help: CliCommand, declare: Program['declare']): void {
  help
    .argument('[command...]', 'names of the command, such as: webhook show')
    .offline()
    .explain({ examples: [['dockbell help webhook show', 'the same as dockbell webhook show --help']] })
    .action(async (names: string[]) => {
      await declare(names[0]);
      names.reduce<CliCommand>((command, name) => command.findSubcommand(name), help.parent as CliCommand).help();
    });
}

/** The hidden command that completion scripts call: the words up to the cursor, after `--`. */
function declareComplete(complete: CliCommand, declare: Program['declare'], context: CliContext): void {
  complete
    .argument('[words...]')
    .offline()
    .action(async (words: string[]) => {
      const { printCompletion } = await import('./complete/complete-words.ts');
      await printCompletion({ program: complete.parent as CliCommand, declare }, words, context);
    });
}

function createRoot(context: CliContext): CliCommand {
  const root = new CliCommand('dockbell');
  // Most commands use the last factory. Those that take several read the list.
  root.on('option:factory', (name: string) => {
    root.setOptionValue('factories', [...((root.getOptionValue('factories') as string[] | undefined) ?? []), name]);
  });
  return root
    .description(
      'A GitOps reconciler and a durable webhook ingress: commits define automations, and HTTP POST requests start them. Commands that use a daemon find it by --url, or by the data directory.',
    )
    .version(readPackageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .option(
      '--data-dir <dir>',
      `data directory of the daemon (default: DOCKBELL_DATA_DIR, else dataDir of ${CONFIG_FILE} here, else ${DEFAULT_DATA_DIR}, else that of the service of this machine)`,
    )
    .option(
      '--profile <name>',
      "profile that names the daemon (default: DOCKBELL_PROFILE, else see 'dockbell profile')",
    )
    .option('--url <url>', 'admin address of the daemon (default: DOCKBELL_URL, else <data-dir>/daemon.json)')
    .option(
      '--token-file <file>',
      'file that holds the API token (default: DOCKBELL_TOKEN, else DOCKBELL_TOKEN_FILE, else <data-dir>/admin-token)',
    )
    .option('--token <token>', 'the API token itself; other users of the host can see it in the list of processes')
    .option('--factory <name>', 'factory for the command (default: DOCKBELL_FACTORY, else the only factory)')
    .option('--no-color', 'disable colors, as NO_COLOR does; FORCE_COLOR enables them for pipes')
    .configureHelp({ showGlobalOptions: true, subcommandTerm: describeSubcommand })
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void (context.jsonErrors || context.stderr.write(text)),
      outputError: (text, write) => write(text.replace(/^error: (.)/, (_, first: string) => first.toUpperCase())),
      getOutHelpWidth: () => helpWidth(context.stdout.columns),
      getErrHelpWidth: () => helpWidth(context.stderr.columns),
      getOutHasColors: () => hasColors(context.stdout, context.env),
      getErrHasColors: () => hasColors(context.stderr, context.env),
    })
    .showHelpAfterError('Add --help to see the syntax of the command.')
    .exitOverride()
    .explain({
      negative: 'the result is negative (invalid definition, would not trigger, run failed)',
      examples: [
        ['dockbell demo', 'try Dockbell'],
        ['dockbell init payments-factory && dockbell validate payments-factory', 'create a factory'],
        ['dockbell serve', 'run the daemon'],
        ['dockbell status', 'what is live, and problems'],
      ],
    });
}

/** The list of all commands has names only: their arguments are not loaded. The list of a group has arguments, too. */
function describeSubcommand(command: Command): string {
  const isTop = command.parent?.parent === null;
  return isTop ? command.name() : new Help().subcommandTerm(command);
}

/** Lines longer than 100 columns are hard to read, even if the terminal is wider. */
function helpWidth(columns: number | undefined): number {
  return Math.min(columns || 100, 100);
}
