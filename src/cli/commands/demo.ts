import { resolve } from 'node:path';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, Session } from '../session.ts';

const DEFAULT_DIR = '.dockbell';

/** `dockbell demo`: a daemon over the example factory. */
export function registerDemoCommand(program: CliCommand, bind: Bind): void {
  program
    .command('demo')
    .description('a daemon over the example factory, with one ready curl for each webhook; it sends nothing by itself')
    .option('--dir <dir>', 'folder that holds its state; a second start goes on with it', DEFAULT_DIR)
    .offline()
    .explain({
      negative: 'the daemon had to stop',
      examples: [
        ['dockbell demo', 'try it; Ctrl-C stops it cleanly'],
        ['DOCKBELL_INGRESS_PORT=9000 DOCKBELL_ADMIN_PORT=9001 dockbell demo', 'on other ports than 8787 and 8788'],
        ['dockbell demo --dir /tmp/bell', 'with its state elsewhere; delete the folder to start afresh'],
      ],
    })
    .action(bind(demo));
}

async function demo(session: Session, options: { dir: string }): Promise<number> {
  const { context } = session;
  const stop = context.catchInterrupts();
  const { runDemo } = await import('../../demo/run-demo.ts');
  return runDemo({ dir: resolve(context.cwd, options.dir), out: context.stdout, env: context.env, stop });
}
