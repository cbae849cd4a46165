import { readPackageVersion } from '../app/package-version.ts';
import { CliCommand } from './cli-command.ts';
import { hasColors } from './colors.ts';
import { registerAuditCommands } from './commands/audit.ts';
import { registerAutomationCommands } from './commands/automation.ts';
import { registerDeliveryCommands } from './commands/delivery.ts';
import { registerDemoCommand } from './commands/demo.ts';
import { registerDiagnoseCommand } from './commands/diagnose.ts';
import { registerFilterCommands } from './commands/filter.ts';
import { registerHistoryCommands } from './commands/history.ts';
import { registerInitCommand } from './commands/init.ts';
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
import { DEFAULT_DATA_DIR } from './connection.ts';
import type { CliContext } from './context.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { Bind, CommandWork } from './session.ts';
import { Session } from './session.ts';

/** The whole command line. `exitCode` answers after `parseAsync` with what the command that ran has returned. */
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
      // Commander hands over the arguments, then the options, then the command.
      const command = given.at(-1) as CliCommand;
      const session = new Session(context, command.optsWithGlobals<ConnectionOptions>());
      try {
        finish(await work(session, command.opts() as Options, ...(given.slice(0, -2) as Args)));
      } finally {
        await session.close();
      }
    };
}

// In the order of the help: first what starts something, then the definition, then what a running daemon holds.
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
  registerAuditCommands,
];

function createRoot(context: CliContext): CliCommand {
  return new CliCommand('dockbell')
    .description(
      "The bell at a factory's loading dock: a commit decides which automations run, a POST starts them. Commands that talk to a daemon find it by --url and --token, else by the data directory.",
    )
    .version(readPackageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .option('--data-dir <dir>', `data directory of the daemon (default: ${DEFAULT_DATA_DIR})`)
    .option('--url <url>', 'admin address of the daemon (default: DOCKBELL_URL, else <data-dir>/daemon.json)')
    .option('--token <token>', 'API token (default: DOCKBELL_TOKEN, else <data-dir>/admin-token)')
    .option('--factory <name>', 'factory that is meant; may be left out when the daemon serves one')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: (.)/, (_, first: string) => first.toUpperCase())),
      getOutHelpWidth: () => helpWidth(context.stdout.columns),
      getErrHelpWidth: () => helpWidth(context.stderr.columns),
      getOutHasColors: () => hasColors(context.stdout, context.env),
      getErrHasColors: () => hasColors(context.stderr, context.env),
    })
    .showHelpAfterError('Add --help to see how the command is written.')
    .exitOverride()
    .explain({
      negative: 'the thing asked about is negative (invalid definition, would not trigger, run failed)',
      examples: [
        ['dockbell demo', 'see it work'],
        ['dockbell init payments-factory && dockbell validate payments-factory', 'begin a factory of your own'],
        ['dockbell serve', 'run the daemon'],
        ['dockbell status', 'what is live, and what is wrong'],
      ],
    });
}

/** Lines longer than 100 columns are tiring to read, however wide the terminal is. */
function helpWidth(columns: number | undefined): number {
  return Math.min(columns || 100, 100);
}
