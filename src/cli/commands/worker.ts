import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import type { Worker } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { MAX_WORKER_LABELS, WORKER_LABEL_PATTERN } from '../../domain/runs/worker-labels.ts';
import { isProtectedUrl } from '../../domain/words/names.ts';
import { readPackageVersion } from '../../platform/files/package-version.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, codeOf, EXIT_CODES } from '../exit-codes.ts';
import { countOption, durationOption } from '../input/value-options.ts';
import { formatAge } from '../output/format-time.ts';
import { printList } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';

interface WorkerCommandOptions {
  exec?: string[];
  label: string[];
  concurrency: number;
  name: string;
  stateDir: string;
  drain: number;
}

const MAX_CONCURRENCY = 100;
const DEFAULT_DRAIN_MS = 10 * 60_000;
/** Longer than a request for runs waits. */
const ANSWER_MS = 60_000;
/** Where commands are looked up if the worker itself has no `PATH`. */
const DEFAULT_SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin';

/** `dockbell worker …`: executes runs, and lists who does. */
export function declareWorker(worker: CliCommand, bind: Bind): void {
  worker
    .argument('[arguments...]', 'further arguments of the command')
    .option('--exec <command...>', 'program that executes each run, with its arguments; not a shell command line')
    .addOption(labelOption())
    .addOption(countOption('--concurrency <number>', 'runs at the same time', MAX_CONCURRENCY).default(1))
    .addOption(new Option('--name <name>', 'name of the worker in lists').default(hostname(), 'the host name'))
    .option('--state-dir <dir>', 'folder for the state of the worker and the files of its runs', './.dockbell-worker')
    .addOption(
      durationOption('--drain <duration>', 'time that running commands get to end after SIGTERM').default(
        DEFAULT_DRAIN_MS,
        '10m',
      ),
    )
    // Options that the worker does not have belong to the command.
    .allowUnknownOption()
    .hook('preAction', (_, command) => {
      if (command === worker) requireCommandLast(worker);
    })
    .explain({
      more:
        'For factories with the executor queue. The token must have the role worker, and each machine should have its own:\n' +
        "see 'dockbell token create'. A run has the same directory, environment, input and limits as with the executor command.\n" +
        'Secrets of runs are only sent to the worker that executes them. --factory limits the worker to one factory.\n' +
        'Options after --exec that the worker has belong to the worker. To pass them to the command, write -- before them.\n' +
        'SIGTERM and Ctrl-C: no further run is claimed. A second signal ends the running commands.',
      examples: [
        ['dockbell worker --exec ./agent.sh', 'execute runs one after another'],
        [
          'dockbell worker --label gpu --label linux --concurrency 2 --exec python3 agent.py',
          'runs for these labels too',
        ],
        ['dockbell worker list', 'the workers of the daemon, and their runs'],
      ],
    })
    .action(bind(work));
  worker
    .command('list')
    .description('list the workers that have sent requests since the daemon started, with the runs that they hold')
    .withResult(RESULT_KINDS.worker)
    .explain({ examples: [['dockbell worker list', 'who holds which run']] })
    .action(bind(listWorkers));
}

function labelOption(): Option {
  const option = new Option('--label <label>', 'label that runsOn of automations can require; repeatable').default(
    [],
    'none',
  );
  return option.argParser((label: string, before: string[] = []) => {
    if (!WORKER_LABEL_PATTERN.test(label)) {
      throw new InvalidArgumentError('Use letters, digits, ".", "_" and "-", at most 64 characters, such as gpu.');
    }
    const labels = [...new Set([...before, label])];
    if (labels.length > MAX_WORKER_LABELS) throw new InvalidArgumentError(`Use at most ${MAX_WORKER_LABELS} labels.`);
    return labels;
  });
}

/** Words that no option takes belong to the command, so they must follow it. */
function requireCommandLast(worker: CliCommand): void {
  const words = worker.parent?.parent === null ? (worker.parent as unknown as { rawArgs: string[] }).rawArgs : [];
  const before = words.slice(0, Math.max(0, words.indexOf('--exec')));
  const misplaced = worker.args.find((word) => before.lastIndexOf(word) > 1);
  if (misplaced === undefined || words.indexOf('--exec') === -1) return;
  worker.error(`error: unknown option or argument '${misplaced}' before --exec`, { code: 'commander.unknownOption' });
}

async function work(session: CommandSession, options: WorkerCommandOptions, further: string[]): Promise<number> {
  const { context, output } = session;
  const command = [...(options.exec ?? []), ...further];
  const [program, ...rest] = command;
  if (options.exec === undefined || program === undefined) {
    throw new CliError('--exec is missing.', { hint: 'Name the program that executes each run: --exec ./agent.sh' });
  }
  const { url } = await session.connection();
  if (!isProtectedUrl(url)) output.note(`Secrets and payloads of runs are sent in plain text to ${url}: use https.`);
  // Imported here: the other commands need none of it.
  const { runWorker, Rejected } = await import('../../runs/worker/run-worker.ts');
  const stopped = new AbortController();
  const forced = new AbortController();
  const release = context.handleSignals(() => {
    if (stopped.signal.aborted) forced.abort();
    stopped.abort();
  });
  try {
    await runWorker({
      api: await session.apiWithin(ANSWER_MS),
      identity: {
        name: options.name,
        labels: options.label,
        version: readPackageVersion(),
        concurrency: options.concurrency,
      },
      factory: session.globals.factory ?? null,
      // Each run has its own directory, so a relative path is resolved now.
      command: [program.includes('/') ? resolve(context.cwd, program) : program, ...rest],
      searchPath: context.env.PATH ?? DEFAULT_SEARCH_PATH,
      environment: context.env,
      stateDir: resolve(context.cwd, options.stateDir),
      drainMs: options.drain,
      log: { format: context.stdout.isTTY === true ? 'text' : 'json', destination: context.stdout },
      stopped: stopped.signal,
      forced: forced.signal,
    });
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    const code = codeOf(await session.explainFailure(error.cause));
    throw new CliError(`The daemon rejects the worker: ${error.message}`, { code });
  } finally {
    release();
  }
  return EXIT_CODES.done;
}

const COLUMNS: Column<Worker>[] = [
  { head: 'NAME', text: ({ name }) => name, narrow: 'whole' },
  {
    head: 'STATE',
    text: ({ state }) => state,
    color: ({ state }, { green, yellow }) => (state === 'online' ? green : yellow),
    narrow: 'whole',
  },
  { head: 'LABELS', text: ({ labels }) => labels.join(', ') || '-', drop: 2 },
  { head: 'RUNS', text: ({ runs }) => runs.map(({ id }) => id).join(', ') || '-', narrow: 'whole' },
  { head: 'TOKEN', text: ({ token }) => token, drop: 3 },
  { head: 'VERSION', text: ({ version }) => version ?? '-', drop: 4 },
];

async function listWorkers(session: CommandSession, options: ResultOptions): Promise<number> {
  const { data } = await readAnswer((await session.api()).GET('/api/v1/workers'));
  const columns: Column<Worker>[] = [
    ...COLUMNS.slice(0, -1),
    { head: 'LAST SEEN', text: ({ last_seen_at: at }) => formatAge(at, session.nowMs), narrow: 'whole', drop: 1 },
    ...COLUMNS.slice(-1),
  ];
  await printList(session, options, {
    kind: RESULT_KINDS.worker,
    page: { data, next_cursor: null },
    columns,
    empty: 'No worker has sent a request since the daemon started.',
  });
  return EXIT_CODES.done;
}
