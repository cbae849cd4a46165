import { join, resolve } from 'node:path';
import { escapeText, quoteForShell } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { findDataDir } from '../connection.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { findStoppedDaemon } from '../find-stopped-daemon.ts';
import { describeContent, presentContent } from '../output/describe-backup.ts';
import { startProgress } from '../output/progress.ts';

interface RestoreOptions {
  verifyOnly?: boolean;
  json?: boolean;
}

/** `dockbell restore FILE --data-dir DIR`. */
export function declareRestore(command: CliCommand, bind: Bind): void {
  command
    .argument('<file>', 'the backup')
    .option('--verify-only', 'check the backup as for a restore, and keep nothing')
    .withJson('what the backup contains')
    .offline()
    .explain({
      negative: 'the data directory is not empty',
      more: 'The data directory (--data-dir) must be missing or empty. Nothing is ever overwritten. The command compares all digests,\nchecks the database, and rejects a backup that needs a newer Dockbell. If it fails, it leaves nothing behind.\n--verify-only extracts the database to the folder for temporary files (TMPDIR). Run the command as the user of the daemon.',
      examples: [
        [
          'dockbell restore dockbell.tar --data-dir /var/lib/dockbell',
          'then put the master key there and start the daemon',
        ],
        ['dockbell restore dockbell.tar --verify-only', 'check a backup'],
      ],
    })
    .action(bind(restore));
}

async function restore(session: CommandSession, options: RestoreOptions, file: string): Promise<number> {
  const { context, globals, output } = session;
  // Imported here, so that the other commands start without the libraries of the daemon.
  const { checkBackup, restoreBackup } = await import('../../operations/backup/restore-backup.ts');
  const path = resolve(context.cwd, file);
  const progress = startProgress(context, 'Reading the backup');
  const onProgress = (doneBytes: number, totalBytes: number) => {
    progress.update(`Reading the backup: ${Math.floor((doneBytes * 100) / totalBytes)} %`);
  };
  const dataDir = options.verifyOnly ? null : await findDataDir(globals, context);
  const request = { file: path, onProgress };
  const reading = dataDir === null ? checkBackup(request) : restoreBackup({ ...request, dataDir });
  const content = await reading.finally(() => progress.stop());
  if (options.json) output.json({ data_dir: dataDir, ...presentContent(content) });
  else {
    const done = dataDir === null ? `${path} is complete` : `Restored ${path} to ${dataDir}`;
    output.line(`${escapeText(done)}: ${describeContent(content)}.`);
  }
  if (dataDir !== null) for (const step of listNextSteps(dataDir, content.manifest.hasMasterKey)) output.note(step);
  if (dataDir !== null && (await usesPostgres(session))) output.note(describeCopy(dataDir));
  return EXIT_CODES.done;
}

/** What is not in a backup, and what happens at the start. */
function listNextSteps(dataDir: string, hasMasterKey: boolean): string[] {
  const key = escapeText(join(dataDir, 'master.key'));
  return [
    hasMasterKey
      ? `The master key is in ${key}. If the configuration sets masterKeyFile, move the key there.`
      : `The master key is not in the backup. Before you start the daemon, copy the key to ${key} (mode 0600) or to the path that masterKeyFile sets. The daemon does not start without it if secrets are stored.`,
    `No owner token is in the backup. If you have none, run: dockbell token reset --data-dir ${quoteForShell(dataDir)}`,
    'Runs that were queued when the backup was made start again when the daemon starts.',
  ];
}

/** A configuration that cannot be read does not matter for the restored files. */
function usesPostgres(session: CommandSession): Promise<boolean> {
  return findStoppedDaemon(session, undefined).then(
    ({ storage }) => storage.type === 'postgres',
    () => false,
  );
}

/** A daemon on PostgreSQL does not read the restored file. */
function describeCopy(dataDir: string): string {
  const copy = `dockbell storage copy --data-dir ${quoteForShell(dataDir)}`;
  return `The configuration has storage.type: postgres, and a backup contains a SQLite database. Copy it to an empty database before you start the daemon: ${copy}`;
}
