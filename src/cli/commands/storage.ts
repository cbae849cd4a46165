import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { escapeText } from '../../domain/words/escape-text.ts';
import { countOf } from '../../domain/words/quantities.ts';
import type { CopyReport } from '../../operations/maintenance/copy-storage.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CONFIG_FILE, findDataDir } from '../connection.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { findConfigFile } from '../find-config-file.ts';
import { startProgress } from '../output/progress.ts';
import type { Column } from '../output/table.ts';

interface CopyOptions {
  from?: string;
  to?: string;
  config?: string;
  restart?: boolean;
  json?: boolean;
}

/** `dockbell storage …`: the database of a stopped daemon. */
export function declareStorage(storage: CliCommand, bind: Bind): void {
  storage
    .command('copy')
    .description('copy the data of a stopped daemon from SQLite to PostgreSQL, and verify each table')
    .option('--from <source>', 'sqlite: and the data directory or its dockbell.db (default: the data directory)')
    .option(
      '--to <url>',
      'empty database, postgres://…; other users of the host can see the URL in the list of processes (default: DOCKBELL_STORAGE_URL, else storage.url of the configuration)',
    )
    .option('--config <file>', `configuration that has storage.url (default: ${CONFIG_FILE}, if it exists)`)
    .option('--restart', 'discard an unfinished copy in the target, and begin again')
    .withJson('the tables with their rows and digests')
    .explain({
      negative: 'a table differs, the target is not empty, or the source has an old schema',
      more: 'The daemon must be stopped. The source does not change. Run the command again to continue after an interruption. When all\nrows are copied, the command reads both databases and compares the rows and a digest of each table. Until then, no daemon\nstarts with the target. Run the command as the user of the daemon.',
      examples: [
        ['dockbell storage copy --data-dir /var/lib/dockbell', 'to storage.url of dockbell.yaml'],
        [
          'dockbell storage copy --from sqlite:/var/lib/dockbell --to postgres://dockbell@db.example.com/dockbell',
          'with the password in PGPASSWORD',
        ],
      ],
    })
    .action(bind(copy));
}

interface Place {
  dataDir: string;
  file: string;
}

async function copy(session: CommandSession, options: CopyOptions): Promise<number> {
  const { context, output } = session;
  const source = await findSource(session, options.from);
  const url = await findTarget(session, options);
  // Imported here, so that the other commands start without the libraries of the daemon.
  const { copyStorage } = await import('../../operations/maintenance/copy-storage.ts');
  const interrupted = context.catchInterrupts();
  const progress = startProgress(context, 'Copying');
  const show = createDisplay(progress.update);
  const request = { ...source, url, restart: options.restart === true, signal: interrupted, onProgress: show };
  try {
    const report = await copyStorage(request);
    progress.stop();
    if (options.json) output.json(presentReport(source, report));
    else printTables(session, report);
    for (const step of report.isVerified ? listNextSteps(source, report.target) : [NOT_VERIFIED]) output.note(step);
    return report.isVerified ? EXIT_CODES.done : EXIT_CODES.negative;
  } catch (error) {
    if (!interrupted.aborted) throw error;
    throw new CliError('The copy was interrupted.', {
      code: 'interrupted',
      hint: 'Run the same command again to continue.',
      cause: error,
    });
  } finally {
    progress.stop();
  }
}

async function findSource({ context, globals }: CommandSession, from: string | undefined): Promise<Place> {
  if (from === undefined) return locate(await findDataDir(globals, context));
  const [, path] = /^sqlite:(.+)$/s.exec(from) ?? [];
  if (path !== undefined) return locate(resolve(context.cwd, path));
  throw new CliError(`--from ${escapeText(from)} is no source.`, {
    hint: 'Use sqlite: and the path of the data directory, such as sqlite:/var/lib/dockbell.',
  });
}

/** @param path of a data directory, or of the database in it */
function locate(path: string): Place {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? { dataDir: dirname(path), file: path } : { dataDir: path, file: join(path, 'dockbell.db') };
}

async function findTarget({ context }: CommandSession, { to, config }: CopyOptions): Promise<string> {
  const { readStorage } = await import('../../config/load-config.ts');
  const env = to === undefined ? context.env : { ...context.env, DOCKBELL_STORAGE_URL: to };
  const { url } = await readStorage(findConfigFile(config, context.cwd), env, 'postgres');
  return url!;
}

const PHASES = { copying: 'Copying', verifying: 'Verifying' } as const;

function createDisplay(update: (text: string) => void) {
  return (phase: keyof typeof PHASES, doneRows: number, totalRows: number) => {
    const percent = totalRows === 0 ? 100 : Math.floor((doneRows * 100) / totalRows);
    update(`${PHASES[phase]}: ${percent} % of ${countOf(totalRows, 'row')}`);
  };
}

type TableRow = CopyReport['tables'][number];

/** Characters of a digest that people compare. */
const SHORT_DIGEST = 12;

const COLUMNS: readonly Column<TableRow>[] = [
  { head: 'TABLE', text: ({ name }) => name, narrow: 'whole' },
  { head: 'SOURCE', text: ({ source }) => String(source.rows), narrow: 'whole' },
  { head: 'TARGET', text: ({ target }) => String(target.rows), narrow: 'whole' },
  { head: 'SOURCE DIGEST', text: ({ source }) => source.digest.slice(0, SHORT_DIGEST), drop: 1 },
  { head: 'TARGET DIGEST', text: ({ target }) => target.digest.slice(0, SHORT_DIGEST), drop: 1 },
  {
    head: 'RESULT',
    text: (table) => (table.isEqual ? 'equal' : describeDifference(table)),
    color: (table, colors) => (table.isEqual ? colors.green : colors.red),
    narrow: 'below',
  },
];

function describeDifference({ firstDifference }: TableRow): string {
  return firstDifference === null ? 'different: the target has more rows' : `different at key ${firstDifference}`;
}

function printTables({ output }: CommandSession, { tables, isVerified }: CopyReport): void {
  output.table(COLUMNS, tables);
  output.line();
  if (isVerified) {
    const rows = tables.reduce((sum, table) => sum + table.target.rows, 0);
    output.line(`Copied and verified ${countOf(rows, 'row')} of ${countOf(tables.length, 'table')}.`);
    return;
  }
  const different = tables.filter(({ isEqual }) => !isEqual).map(({ name }) => name);
  output.line(`The copy is not complete: ${different.join(', ')} ${different.length === 1 ? 'differs' : 'differ'}.`);
}

function presentReport({ file }: Place, { target, isVerified, tables }: CopyReport) {
  return { source: file, target, verified: isVerified, tables: tables.map(presentTable) };
}

function presentTable(table: TableRow) {
  const { name, source, target, firstDifference, isEqual } = table;
  return { name, source, target, equal: isEqual, first_difference: firstDifference };
}

const NOT_VERIFIED =
  'No daemon starts with the target. Find out what else writes to it, then copy again with --restart.';

function listNextSteps({ dataDir, file }: Place, target: string): string[] {
  return [
    `Set storage.type: postgres in dockbell.yaml, and storage.url to ${escapeText(target)} with the password. Keep dataDir: ${escapeText(dataDir)}. Then start the daemon.`,
    'Keep the data directory and the master key: managed repositories, start records, run logs and artifacts are not in PostgreSQL.',
    `Do not start a daemon with ${escapeText(file)} again: it would repeat runs. Delete the file when you no longer need it.`,
  ];
}
