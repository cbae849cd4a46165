import { join, resolve } from 'node:path';
import { MASTER_KEY_VARIABLE } from '../../core/reserved-variables.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { findDataDir } from '../connection.ts';
import { EXIT_CODES } from '../exit-codes.ts';

interface RotateOptions {
  newKeyFile: string;
  keyFile?: string;
}

/** `dockbell key …`: the master key. */
export function declareKey(key: CliCommand, bind: Bind): void {
  key
    .command('rotate')
    .description('encrypt all secrets with a new master key, while the daemon is stopped')
    .requiredOption('--new-key-file <file>', 'the new key: 32 random bytes in base64')
    .option(
      '--key-file <file>',
      'the current key (default: DOCKBELL_MASTER_KEY, else master.key in the data directory)',
    )
    .explain({
      more: 'Replaces the current key with the new one, unless the current key comes from the environment. The earlier key stays\nin the same folder, because earlier backups need it. No token is needed: run the command as the user of the daemon.\nIf the command is interrupted, run it again. The audit log records the rotation.',
      examples: [
        ['(umask 077; openssl rand -base64 32 > new.key)', 'create a key'],
        ['dockbell key rotate --new-key-file new.key --data-dir /var/lib/dockbell', 'then start the daemon again'],
      ],
    })
    .action(bind(rotateKey));
}

async function rotateKey({ context, globals, output }: CommandSession, options: RotateOptions): Promise<number> {
  const dataDir = await findDataDir(globals, context);
  const named = options.keyFile === undefined ? null : resolve(context.cwd, options.keyFile);
  // Imported here, so that the other commands start without the libraries of the daemon.
  const { rotateMasterKey } = await import('../../maintenance/rotate-master-key.ts');
  const keyFile = named ?? join(dataDir, 'master.key');
  const environmentValue = named === null ? context.env[MASTER_KEY_VARIABLE] : undefined;
  const newKeyFile = resolve(context.cwd, options.newKeyFile);
  const { resealed, earlierKeyFile } = await rotateMasterKey({ dataDir, newKeyFile, keyFile, environmentValue });
  output.line(
    resealed === null
      ? 'All secrets were already encrypted with this key.'
      : `Encrypted ${resealed} version${resealed === 1 ? '' : 's'} of secrets with the new master key.`,
  );
  if (earlierKeyFile !== null) {
    output.line(
      `The new key is in ${keyFile}, the earlier one in ${earlierKeyFile}: keep it as long as you keep earlier backups.`,
    );
  }
  output.note(
    environmentValue === undefined
      ? `Start the daemon, then remove ${newKeyFile}.`
      : `Set ${MASTER_KEY_VARIABLE} to the content of ${newKeyFile} and start the daemon.`,
  );
  return EXIT_CODES.done;
}
