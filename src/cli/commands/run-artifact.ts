import { open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { RunArtifact } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { formatSize } from '../../domain/words/quantities.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { describeIdArgument, findId } from '../find/find-id.ts';
import { countOption } from '../input/value-options.ts';
import { printList } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';

interface ArtifactOptions extends ResultOptions {
  attempt?: number;
  save?: string;
}

/** `dockbell run artifact`: lists the artifacts of a run, and downloads one. */
export function declareRunArtifact(run: CliCommand, bind: Bind): void {
  run
    .command('artifact')
    .argument('<id>', describeIdArgument('run'))
    .argument('[artifact]', 'name or number of the artifact to download; without it, the artifacts are listed')
    .description('list the artifacts of a run, or download one')
    .addOption(countOption('--attempt <number>', 'attempt whose artifacts are meant. Default: the last one'))
    .option('--save <file>', 'new file for the artifact. Default: standard output')
    .withResult(RESULT_KINDS.artifact)
    .explain({
      more: 'An artifact contains what the run wrote: open it only with programs that you would trust with such a file.',
      examples: [
        ['dockbell run artifact last', 'the artifacts of the most recent run'],
        ['dockbell run artifact last "Test report" --save tests.html', 'store one of them'],
        ['dockbell run artifact run_01jd3v8k6n 1 > tests.html', 'the exact bytes of the first one'],
      ],
    })
    .action(bind(showArtifacts));
}

const COLUMNS: Column<RunArtifact>[] = [
  { head: 'NUMBER', text: ({ number }) => String(number), narrow: 'whole' },
  { head: 'NAME', text: ({ name }) => name },
  { head: 'SIZE', text: ({ size }) => (size === null ? 'not stored' : formatSize(size)), narrow: 'whole' },
  { head: 'PATH', text: ({ path }) => path, drop: 1 },
];

async function showArtifacts(
  session: CommandSession,
  options: ArtifactOptions,
  ref: string,
  wanted: string | undefined,
): Promise<number> {
  const id = await findId(session, 'run', ref);
  const { data } = await listArtifacts(session, id, options);
  if (wanted !== undefined) return download(session, options, id, findArtifact(data, wanted));
  if (options.save !== undefined) throw new CliError('--save needs the name or the number of an artifact.');
  const page = { data, next_cursor: null };
  const empty = 'The run has no artifacts.';
  await printList(session, options, { kind: RESULT_KINDS.artifact, page, columns: COLUMNS, empty });
  return EXIT_CODES.done;
}

async function listArtifacts(session: CommandSession, id: string, { attempt }: ArtifactOptions) {
  const params = { path: { id }, query: { attempt } };
  return readAnswer((await session.api()).GET('/api/v1/runs/{id}/artifacts', { params }));
}

function findArtifact(artifacts: readonly RunArtifact[], wanted: string): RunArtifact {
  const named = artifacts.filter(({ name }) => name === wanted);
  if (named.length > 1) {
    throw new CliError(`${named.length} artifacts have the name ${escapeText(wanted)}.`, {
      code: 'ambiguous',
      hint: 'Use a number.',
    });
  }
  const found = named[0] ?? artifacts.find(({ number }) => String(number) === wanted);
  if (found === undefined) throw new CliError(`The run has no artifact ${escapeText(wanted)}.`, { code: 'not_found' });
  if (found.size !== null) return found;
  throw new CliError(`The artifact ${escapeText(found.name)} is not stored.`, {
    code: 'not_found',
    hint: 'It exceeds a limit, retention has removed it, or a receiver named it.',
  });
}

async function download(
  session: CommandSession,
  { attempt, save }: ArtifactOptions,
  id: string,
  { number }: RunArtifact,
): Promise<number> {
  const { context, output } = session;
  const params = { path: { id, number }, query: { attempt } };
  const request = (await session.api()).GET('/api/v1/runs/{id}/artifacts/{number}', { params, parseAs: 'arrayBuffer' });
  const bytes = new Uint8Array((await readAnswer(request)) as unknown as ArrayBuffer);
  if (save === undefined) output.bytes(bytes);
  else await writeNewFile(resolve(context.cwd, save), bytes);
  return EXIT_CODES.done;
}

async function writeNewFile(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new CliError(`The file ${path} exists already.`, { code: 'conflict' }) : error;
  });
  try {
    await file.writeFile(bytes);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
