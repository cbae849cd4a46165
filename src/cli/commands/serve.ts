import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CliCommand } from '../cli-command.ts';
import { CONFIG_FILE } from '../connection.ts';
import type { Bind, Session } from '../session.ts';

/** `dockbell serve`: the daemon. */
export function registerServeCommand(program: CliCommand, bind: Bind): void {
  program
    .command('serve')
    .description('run the daemon until Ctrl-C: it applies what is committed, takes deliveries and starts runs')
    .option('--config <file>', `configuration (default: ${CONFIG_FILE}, if it exists)`)
    .explain({
      negative: 'the daemon had to stop',
      more: 'The log goes to standard output: text on a terminal, else JSON lines. The first start prints a link to sign in to\nstandard error.\nA first Ctrl-C (or SIGTERM) stops cleanly, a second one at once. --data-dir wins over dataDir of the configuration.',
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
  const daemon = await startDaemon({
    configFile: findConfig(options.config, context.cwd),
    ...(session.globals.dataDir === undefined ? {} : { dataDir: resolve(context.cwd, session.globals.dataDir) }),
    env: context.env,
    log: { format: context.stdout.isTTY === true ? 'text' : 'json', destination: context.stdout },
  });
  if (daemon.isFirstStart) {
    session.output.note(`Sign in to the dashboard, once and within 24 hours: ${await daemon.createStartLink()}`);
    session.output.note("Later, 'dockbell login-link' makes another link.");
  }
  const stop = () => void daemon.stop();
  if (interrupted.aborted) stop();
  else interrupted.addEventListener('abort', stop, { once: true });
  return daemon.exited;
}

function findConfig(named: string | undefined, cwd: string): string | null {
  const path = resolve(cwd, named ?? CONFIG_FILE);
  return named !== undefined || existsSync(path) ? path : null;
}
