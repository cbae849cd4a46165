import { join, resolve } from 'node:path';
import { readAnswer } from '../../client/read-answer.ts';
import type { BackupPhase, OpenBackup } from '../../domain/ports/operations.ts';
import { MASTER_KEY_VARIABLE } from '../../domain/runs/reserved-variables.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { formatSize } from '../../domain/words/quantities.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { findStoppedDaemon, STOPPED_CONFIG } from '../find-stopped-daemon.ts';
import { describeContent, presentContent } from '../output/describe-backup.ts';
import { type Progress, startProgress } from '../output/progress.ts';

interface BackupOptions {
  logs?: boolean;
  includeKey?: boolean;
  force?: boolean;
  keyFile?: string;
  config?: string;
  json?: boolean;
}

const POLL_MS = 500;

/** `dockbell backup FILE`. */
export function declareBackup(command: CliCommand, bind: Bind): void {
  command
    .argument('<file>', 'file to store the backup in: a tar archive of mode 0600')
    .option('--logs', 'include the captured output of runs')
    .option('--include-key', 'include the master key; anyone who has such a backup can read all secrets')
    .option('--force', 'replace an existing file')
    .option(
      '--key-file <file>',
      'the master key for --include-key while the daemon is stopped (default: DOCKBELL_MASTER_KEY, else master.key in the data directory)',
    )
    .option('--config <file>', STOPPED_CONFIG)
    .withJson('what the backup contains')
    .explain({
      negative: 'the file exists, another backup is being made, or the daemon stores in PostgreSQL',
      more: 'Works while the daemon runs, also on another machine, and needs a token of role owner then. Deliveries do not wait.\nIf no daemon runs, the command reads the data directory. The file gets its name when all digests were compared\nand its content is on disk. It contains the database, managed repositories and the start records of runs.\nFor a daemon that stores in PostgreSQL, the command makes no backup and prints what to do instead.',
      examples: [
        ['dockbell backup dockbell.tar', 'a backup without the master key'],
        ['dockbell backup "/backup/dockbell-$(date +%F).tar" --logs', 'with the output of runs, for a cron job'],
        ['dockbell restore dockbell.tar --verify-only', 'check it later'],
      ],
    })
    .action(bind(backUp));
}

async function backUp(session: CommandSession, options: BackupOptions, file: string): Promise<number> {
  const { context, output } = session;
  // Imported here, so that the other commands start without the libraries of the daemon.
  const { requireTarget, storeBackup } = await import('../../operations/backup/store-backup.ts');
  const target = resolve(context.cwd, file);
  const force = options.force === true;
  await requireTarget(target, force);
  const interrupted = context.catchInterrupts();
  const progress = startProgress(context, 'Copying the database');
  const show = createDisplay(progress);
  try {
    const open = (await session.hasDaemon()) ? openOnline : openOffline;
    const backup = await open(session, options, { signal: interrupted, show });
    try {
      const onProgress = (phase: 'writing' | 'verifying', doneBytes: number) => show(phase, doneBytes, backup.bytes);
      const content = await storeBackup(target, backup.content, { force, onProgress });
      progress.stop();
      if (options.json) output.json({ file: target, ...presentContent(content) });
      else output.line(`Stored and verified ${escapeText(target)}: ${describeContent(content)}.`);
      output.note(describeKey(content.manifest.hasMasterKey));
      return EXIT_CODES.done;
    } finally {
      await backup.discard();
    }
  } catch (error) {
    if (!interrupted.aborted) throw error;
    throw new CliError('The backup was interrupted. No file was stored.', {
      code: 'interrupted',
      cause: error,
    });
  } finally {
    progress.stop();
  }
}

type ShowProgress = (phase: BackupPhase | 'verifying', doneBytes: number, totalBytes: number) => void;

interface OpenParts {
  signal: AbortSignal;
  show: ShowProgress;
}

/** The daemon copies the database first, and says how far it is. */
async function openOnline(
  session: CommandSession,
  { logs = false, includeKey = false }: BackupOptions,
  { signal, show }: OpenParts,
): Promise<OpenBackup> {
  const ended = new AbortController();
  const polling = pollProgress(session, show, ended.signal);
  try {
    const body = { logs, include_key: includeKey };
    const answer = await session.download('/api/v1/backup', body, signal);
    const bytes = Number(answer.headers['content-length'] ?? 0);
    return { name: '', bytes, content: answer, discard: async () => void answer.destroy() };
  } finally {
    ended.abort();
    await polling;
  }
}

async function pollProgress(session: CommandSession, show: ShowProgress, ended: AbortSignal): Promise<void> {
  const api = await session.api();
  while (!ended.aborted) {
    await session.context.sleep(POLL_MS, ended);
    const status = ended.aborted ? null : await readAnswer(api.GET('/api/v1/backup')).catch(() => null);
    const running = status?.running ?? null;
    if (running !== null && !ended.aborted) show(running.phase, running.done_bytes, running.total_bytes);
  }
}

async function openOffline(
  session: CommandSession,
  { logs = false, includeKey = false, keyFile, config }: BackupOptions,
  { signal, show }: OpenParts,
): Promise<OpenBackup> {
  const { context } = session;
  const { dataDir, storage } = await findStoppedDaemon(session, config);
  const masterKeyFile = keyFile === undefined ? join(dataDir, 'master.key') : resolve(context.cwd, keyFile);
  if (storage.type === 'postgres') {
    const { createPostgresBackupError } = await import('../../operations/backup/postgres-backup.ts');
    throw createPostgresBackupError({ dataDir, masterKeyFile, url: storage.url! });
  }
  const [{ openOfflineBackup }, { describeSource }] = await Promise.all([
    import('../../operations/backup/offline-backup.ts'),
    import('../../operations/backup/describe-source.ts'),
  ]);
  const source = describeSource({
    dataDir,
    masterKeyFile,
    environmentValue: keyFile === undefined ? context.env[MASTER_KEY_VARIABLE] : undefined,
  });
  return openOfflineBackup(
    source,
    { logs, includeKey },
    { signal, onProgress: ({ phase, doneBytes, totalBytes }) => show(phase, doneBytes, totalBytes) },
  );
}

const PHASES = {
  copying: 'Copying the database',
  checking: 'Checking the copy of the database',
  writing: 'Writing the file',
  verifying: 'Verifying the file',
} as const satisfies Record<BackupPhase | 'verifying', string>;

function createDisplay(progress: Progress): ShowProgress {
  return (phase, doneBytes, totalBytes) => {
    const percent = totalBytes === 0 ? 0 : Math.floor((doneBytes * 100) / totalBytes);
    const amount = phase === 'checking' ? formatSize(totalBytes) : `${percent} % of ${formatSize(totalBytes)}`;
    progress.update(`${PHASES[phase]}: ${amount}`);
  };
}

function describeKey(isIncluded: boolean): string {
  return isIncluded
    ? 'The backup contains the master key: anyone who has the file can read all secrets.'
    : 'The master key is not included. Keep a copy of it in another place: without it, the secrets cannot be decrypted.';
}
