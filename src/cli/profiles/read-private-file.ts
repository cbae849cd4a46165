import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { escapeText } from '../../domain/words/escape-text.ts';
import { CliError, codeOfFileError } from '../exit-codes.ts';

const MAX_BYTES = 65_536;
/** Access of the group and of other users. */
const OTHERS = 0o077;

/**
 * The text of a file that only its owner may access; `null` if it does not exist. Throws `CliError` for any other file, because
 * another user could have changed where commands connect, or could read the token.
 *
 * @param options.mustBeOurs also reject files of other users. Root can use the token file of a daemon with another user
 */
export async function readPrivateFile(path: string, { mustBeOurs }: { mustBeOurs: boolean }): Promise<string | null> {
  const shown = escapeText(path);
  // Opening a named pipe would wait for a writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return null;
    throw new CliError(`${shown} cannot be read (${cause.code}).`, { code: codeOfFileError(cause), cause });
  });
  if (file === null) return null;
  try {
    const stats = await file.stat();
    const { mode, uid, size } = stats;
    if (!stats.isFile()) throw new CliError(`${shown} is not a regular file, so it is not used.`);
    const ourUid = process.getuid?.();
    if (ourUid !== undefined && mustBeOurs && uid !== ourUid) {
      throw new CliError(`${shown} belongs to another user, so it is not used.`, {
        hint: 'Delete it, and add the profiles again.',
      });
    }
    if (ourUid !== undefined && (mode & OTHERS) !== 0) {
      throw new CliError(`Other users can access ${shown} (mode ${(mode & 0o777).toString(8)}), so it is not used.`, {
        hint: `Check its content, then run: chmod 600 ${shown}`,
      });
    }
    if (size > MAX_BYTES) throw new CliError(`${shown} is larger than ${MAX_BYTES} bytes, so it is not used.`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
