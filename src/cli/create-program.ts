import { readPackageVersion } from '../files/package-version.ts';
import { CliCommand } from './cli-command.ts';
import type { Bind, CommandWork } from './command-session.ts';
import { CommandSession } from './command-session.ts';
import { registerAuditCommands } from './commands/audit.ts';
import { registerAutomationCommands } from './commands/automation.ts';
import { registerDeliveryCommands } from './commands/delivery.ts';
import { registerDemoCommand } from './commands/demo.ts';
import { registerDiagnoseCommand } from './commands/diagnose.ts';
import { registerFilterCommands } from './commands/filter.ts';
import { registerHistoryCommands } from './commands/history.ts';
import { registerInitCommand } from './commands/init.ts';
import { registerKeyCommands } from './commands/key.ts';
import { registerLoginLinkCommand } from './commands/login-link.ts';
import { registerPlanCommand } from './commands/plan.ts';
import { registerReconcileCommand } from './commands/reconcile.ts';
import { registerReconciliationCommands } from './commands/reconciliation.ts';
import { registerRunCommands } from './commands/run.ts';
import { registerSchemaCommand } from './commands/schema.ts';
import { registerSecretCommands } from './commands/secret.ts';
import { registerSendCommand } from './commands/send.ts';
import { registerServeCommand } from './commands/serve.ts';
import { registerStatusCommand } from './commands/status.ts';
import { registerTestCommand } from './commands/test.ts';
import { registerTokenCommands } from './commands/token.ts';
import { registerUserCommands } from './commands/user.ts';
import { registerValidateCommand } from './commands/validate.ts';
import { registerWebhookCommands } from './commands/webhook.ts';
import type { ConnectionOptions } from './connection.ts';
import { CONFIG_FILE, DEFAULT_DATA_DIR } from './connection.ts';
import type { CliContext } from './context.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { hasColors } from './output/colors.ts';

/** The command line. After `parseAsync`, `exitCode` returns the exit code of the command. */
export function createProgram(context: CliContext): { program: CliCommand; exitCode(): number } {
  let exitCode: number = EXIT_CODES.done;
  const bind = createBind(context, (code) => {
    exitCode = code;
  });
  const program = createRoot(context);
  for (const register of COMMAND_GROUPS) register(program, bind);
  return { program, exitCode: () => exitCode };
}

function createBind(context: CliContext, finish: (exitCode: number) => void): Bind {
  return <Options, Args extends unknown[]>(work: CommandWork<Options, Args>) =>
    async (...given: unknown[]) => {
      // Commander passes the arguments, then the options, then the command.
      const command = given.at(-1) as CliCommand;
      const session = new CommandSession(context, command.optsWithGlobals<ConnectionOptions>());
      try {
        finish(await work(session, command.opts() as Options, ...(given.slice(0, -2) as Args)));
      } catch (error) {
        throw await session.explainFailure(error);
      } finally {
        await session.close();
      }
    };
}

// In the order of the help: first starting, then definitions, then the contents of a running daemon.
const COMMAND_GROUPS: readonly ((program: CliCommand, bind: Bind) => void)[] = [
  registerInitCommand,
  registerValidateCommand,
  registerTestCommand,
  registerPlanCommand,
  registerSchemaCommand,
  registerServeCommand,
  registerDemoCommand,
  registerStatusCommand,
  registerReconcileCommand,
  registerReconciliationCommands,
  registerHistoryCommands,
  registerSecretCommands,
  registerWebhookCommands,
  registerAutomationCommands,
  registerDeliveryCommands,
  registerDiagnoseCommand,
  registerRunCommands,
  registerSendCommand,
  registerFilterCommands,
  registerTokenCommands,
  registerUserCommands,
  registerLoginLinkCommand,
  registerKeyCommands,
  registerAuditCommands,
  registerHelpCommand,
];

/** Commander's help command does not support subcommands of groups. */
function registerHelpCommand(program: CliCommand): void {
  program
    .command('help')
    .argument('[command...]', 'names of the command, such as: webhook show')
    .description('show the help of a command')
    .offline()
    .explain({ examples: [['dockbell help webhook show', 'the same as dockbell webhook show --help']] })
    .action((names: string[]) => {
      names.reduce<CliCommand>((command, name) => command.findSubcommand(name), program).help();
    });
}

function createRoot(context: CliContext): CliCommand {
  return new CliCommand('dockbell')
    .description(
      'A GitOps reconciler and a durable webhook ingress: commits define automations, and HTTP POST requests start them. Commands that use a daemon find it by --url, or by the data directory.',
    )
    .version(readPackageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .option(
      '--data-dir <dir>',
      `data directory of the daemon (default: DOCKBELL_DATA_DIR, else dataDir of ${CONFIG_FILE} here, else ${DEFAULT_DATA_DIR})`,
    )
    .option('--url <url>', 'admin address of the daemon (default: DOCKBELL_URL, else <data-dir>/daemon.json)')
    .option(
      '--token-file <file>',
      'file that holds the API token (default: DOCKBELL_TOKEN, else DOCKBELL_TOKEN_FILE, else <data-dir>/admin-token)',
    )
    .option('--token <token>', 'the API token itself; other users of the host can see it in the list of processes')
    .option('--factory <name>', 'factory for the command (default: DOCKBELL_FACTORY, else the only factory)')
    .option('--no-color', 'disable colors, as NO_COLOR does; FORCE_COLOR enables them for pipes')
    .configureHelp({ showGlobalOptions: true })
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

/** Lines longer than 100 columns are hard to read, even if the terminal is wider. */
function helpWidth(columns: number | undefined): number {
  return Math.min(columns || 100, 100);
}
