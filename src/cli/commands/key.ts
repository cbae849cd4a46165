import { join, resolve } from 'node:path';
import { readAnswer } from '../../client/read-answer.ts';
import { AppError } from '../../domain/errors.ts';
import { MASTER_KEY_VARIABLE } from '../../domain/runs/reserved-variables.ts';
import { countOf } from '../../domain/words/quantities.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { findStoppedDaemon, STOPPED_CONFIG } from '../find-stopped-daemon.ts';

interface RotateOptions {
  newKeyFile: string;
  config?: string;
  keyFile?: string;
}

/** `dockbell key …`: the master key. */
export function declareKey(key: CliCommand, bind: Bind): void {
  key
    .command('rotate')
    .description('encrypt all secrets with a new master key, while the daemon runs or is stopped')
    .requiredOption('--new-key-file <file>', 'the new key: 32 random bytes in base64')
    .option(
      '--key-file <file>',
      'the current key of a stopped daemon (default: DOCKBELL_MASTER_KEY, else master.key in the data directory)',
    )
    .option('--config <file>', STOPPED_CONFIG)
    .explain({
      more: 'Replaces the current key with the new one, unless the current key comes from the environment or its file cannot be\nwritten; the command then prints what to do. The earlier key stays in the same folder, because earlier backups need it.\nA running daemon needs a token of an owner. For a stopped one, run the command as the user of the daemon. If the\ncommand or the daemon is interrupted, every value can still be read: run the command again, or start the daemon.',
      examples: [
        ['(umask 077; openssl rand -base64 32 > new.key)', 'create a key'],
        ['dockbell key rotate --new-key-file new.key --data-dir /var/lib/dockbell', 'with or without a running daemon'],
      ],
    })
    .action(bind(rotateKey));
}

async function rotateKey(session: CommandSession, options: RotateOptions): Promise<number> {
  if (session.globals.url !== undefined || session.context.env.DOCKBELL_URL) return rotateOnline(session, options);
  try {
    return await rotateStopped(session, options);
  } catch (error) {
    if (!canBeOnline(error) || !(await isReachable(session))) throw error;
    return rotateOnline(session, options);
  }
}

/** A running daemon holds the lock, and knows a database that the command does not find. */
function canBeOnline(error: unknown): boolean {
  return (
    (error instanceof AppError && error.code === 'data_dir_locked') ||
    (error instanceof CliError && error.code === 'config_invalid')
  );
}

/** Does a daemon serve this data directory? Another command can hold the lock, too. */
async function isReachable(session: CommandSession): Promise<boolean> {
  return session.api().then(
    () => true,
    () => false,
  );
}

async function rotateOnline(session: CommandSession, options: RotateOptions): Promise<number> {
  const { context, output } = session;
  const { readNewKey } = await import('../../operations/maintenance/rotate-master-key.ts');
  const newKeyFile = resolve(context.cwd, options.newKeyFile);
  const newKey = Buffer.from(await readNewKey(newKeyFile)).toString('base64');
  const api = await session.api();
  const { state, resealed, ...files } = await readAnswer(
    api.POST('/api/v1/master-key/rotations', { body: { new_key: newKey } }),
  );
  output.line(describeResealed(resealed));
  if (state === 'done') {
    printFiles(output, files.key_file ?? '', files.earlier_key_file);
    output.note(`The daemon no longer needs the earlier key. Remove ${newKeyFile}.`);
    return EXIT_CODES.done;
  }
  const place =
    files.key_file === null ? `Set ${MASTER_KEY_VARIABLE} to the content of` : `Replace ${files.key_file} with`;
  output.note(
    `${place} ${newKeyFile}, then restart the daemon. Until then, it needs the earlier key to start. After that, it does not.`,
  );
  return EXIT_CODES.done;
}

function describeResealed(resealed: number | null): string {
  return resealed === null || resealed === 0
    ? 'All secrets were already encrypted with this key.'
    : `Encrypted ${countOf(resealed, 'stored value')} with the new master key.`;
}

function printFiles(output: CommandSession['output'], keyFile: string, earlierKeyFile: string | null): void {
  if (earlierKeyFile === null) return;
  output.line(
    `The new key is in ${keyFile}, the earlier one in ${earlierKeyFile}: keep it as long as you keep earlier backups.`,
  );
}

const EITHER_KEY = ' Until that start, the daemon also starts with the earlier key. After that, it does not.';

async function rotateStopped(session: CommandSession, options: RotateOptions): Promise<number> {
  const { context, output } = session;
  const daemon = await findStoppedDaemon(session, options.config);
  const named = options.keyFile === undefined ? null : resolve(context.cwd, options.keyFile);
  // Imported here, so that the other commands start without the libraries of the daemon.
  const { rotateMasterKey } = await import('../../operations/maintenance/rotate-master-key.ts');
  const keyFile = named ?? join(daemon.dataDir, 'master.key');
  const environmentValue = named === null ? context.env[MASTER_KEY_VARIABLE] : undefined;
  const newKeyFile = resolve(context.cwd, options.newKeyFile);
  const { resealed, earlierKeyFile, isPlaced } = await rotateMasterKey({
    daemon,
    newKeyFile,
    keyFile,
    environmentValue,
  });
  output.line(describeResealed(resealed));
  printFiles(output, keyFile, earlierKeyFile);
  output.note(
    isPlaced
      ? `Start the daemon, then remove ${newKeyFile}.`
      : `Set ${MASTER_KEY_VARIABLE} to the content of ${newKeyFile} and start the daemon.${resealed === null ? '' : EITHER_KEY}`,
  );
  return EXIT_CODES.done;
}
