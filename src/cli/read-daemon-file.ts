import { constants } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CliError, codeOfFileError } from './exit-codes.ts';

/**
 * The text of a file that a daemon wrote to its data directory; `null` if it does not exist. A link is not followed: the user of
 * the daemon could name a file that only the user of this command may read, and would get it as a token.
 */
export async function readDaemonFile(path: string): Promise<string | null> {
  try {
    // Opening a named pipe would wait for a writer.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0));
    return await file.readFile('utf8').finally(() => file.close());
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    if (code === 'ELOOP') throw new CliError(`${path} is a symbolic link, so it is not used.`, { cause });
    throw new CliError(`${path} cannot be read (${code}).`, {
      code: codeOfFileError(cause),
      hint: await describeRemedy(dirname(path)),
      cause,
    });
  }
}

async function describeRemedy(folder: string): Promise<string> {
  const owner = await findOwner(folder);
  const { quoteForShell } = await import('../domain/words/escape-text.ts');
  const asOwner =
    owner === null
      ? 'Run the command as the user of the daemon'
      : `The daemon runs as the user ${owner}. Run the command as that user: sudo -u ${quoteForShell(owner)} dockbell …`;
  return `${asOwner}, or specify --url and --token-file.`;
}

/** The user to whom the folder belongs, as `sudo -u` takes it; `null` if the folder cannot be seen. */
async function findOwner(folder: string): Promise<string | null> {
  const uid = await stat(folder).then(
    (stats) => String(stats.uid),
    () => null,
  );
  if (uid === null) return null;
  const users = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'));
  return users.find(([, , id]) => id === uid)?.[0] ?? `#${uid}`;
}
