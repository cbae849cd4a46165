import type { Drain } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { countOf } from '../../domain/words/quantities.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { startProgress } from '../output/progress.ts';

const POLL_MS = 500;

interface DrainOptions {
  wait?: boolean;
  cancel?: boolean;
  json?: boolean;
}

/** `dockbell drain`: no further run starts. */
export function declareDrain(command: CliCommand, bind: Bind): void {
  command
    .option('--wait', 'wait until no command of a run is executed')
    .option('--cancel', 'start runs again')
    .withJson()
    .explain({
      negative: 'with --wait: the drain was cancelled',
      more: 'Deliveries are accepted while the daemon drains, and their runs wait. Runs that workers hold continue, because\na restart does not interrupt them. The next start of the daemon starts runs again.\nOf several replicas, only the one that answers drains.',
      examples: [
        ['dockbell drain --wait', 'before maintenance: wait until no run is executed'],
        ['dockbell drain --cancel', 'after maintenance without a restart'],
      ],
    })
    .action(bind(drain));
}

async function drain(session: CommandSession, options: DrainOptions): Promise<number> {
  const api = await session.api();
  if (options.cancel) {
    if (options.wait) throw new CliError('--wait and --cancel exclude each other.', { code: 'usage' });
    return show(session, options, await readAnswer(api.DELETE('/api/v1/drain', {})));
  }
  const begun = await readAnswer(api.POST('/api/v1/drain', {}));
  return show(session, options, options.wait ? await waitUntilIdle(session, begun) : begun);
}

/** Ends early if somebody cancels the drain. */
async function waitUntilIdle(session: CommandSession, begun: Drain): Promise<Drain> {
  const { context } = session;
  const api = await session.api();
  let state = begun;
  const progress = startProgress(context, 'Waiting until no run is executed…');
  try {
    while (state.executing_runs > 0 && state.state !== 'running') {
      await context.sleep(POLL_MS);
      state = await readAnswer(api.GET('/api/v1/drain', {}));
    }
  } finally {
    progress.stop();
  }
  return state;
}

function show({ output }: CommandSession, { json, wait }: DrainOptions, state: Drain): number {
  const isCancelled = wait === true && state.state === 'running';
  if (json) output.json(state);
  else for (const line of describe(state)) output.line(line);
  return isCancelled ? EXIT_CODES.negative : EXIT_CODES.done;
}

function describe({ state, executing_runs, worker_runs }: Drain): string[] {
  if (state === 'running') return ['Runs start.'];
  const workers =
    worker_runs === 0 ? [] : [`Workers hold ${countOf(worker_runs, 'run')}, which a restart does not interrupt.`];
  const executing =
    executing_runs === 0
      ? 'No run is executed: the daemon can be stopped.'
      : `${countOf(executing_runs, 'run')} ${executing_runs === 1 ? 'is' : 'are'} still executed: 'dockbell drain --wait' waits for the end.`;
  const begun = state === 'stopping' ? 'The daemon is stopping: no run starts.' : 'No run starts.';
  return [`${begun} ${executing}`, ...workers];
}
