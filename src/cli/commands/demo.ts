import { resolve } from 'node:path';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { describeOwnCommand } from '../own-command.ts';

const DEFAULT_DIR = '.dockbell';

/** `dockbell demo`: a daemon with the example factory. */
export function declareDemo(command: CliCommand, bind: Bind): void {
  command
    .option('--dir <dir>', 'folder for its state; the next start continues with it', DEFAULT_DIR)
    .offline()
    .explain({
      negative: 'the daemon failed',
      examples: [
        ['dockbell demo', 'try Dockbell; Ctrl-C stops it'],
        ['DOCKBELL_INGRESS_PORT=9000 DOCKBELL_ADMIN_PORT=9001 dockbell demo', 'with other ports than 8787 and 8788'],
        ['dockbell demo --dir /tmp/bell', 'with its state in another folder; delete the folder to start from scratch'],
      ],
    })
    .action(bind(demo));
}

async function demo(session: CommandSession, options: { dir: string }): Promise<number> {
  const { context } = session;
  const stop = context.catchInterrupts();
  const { runDemo } = await import('../demo/run-demo.ts');
  return runDemo({
    dir: resolve(context.cwd, options.dir),
    ownCommand: describeOwnCommand(process, context),
    out: context.stdout,
    env: context.env,
    stop,
  });
}
