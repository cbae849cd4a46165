import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Opens a file below a folder that a run can change at any time. No component of the path is followed as a symbolic link. On
 * Linux, each folder is opened below the one before, so a folder that is replaced meanwhile makes no difference.
 *
 * @param path relative, without `.` and `..`
 */
export async function openInside(folder: string, path: string): Promise<FileHandle> {
  const parts = path.split('/');
  const name = parts.pop()!;
  let place = folder;
  const opened: FileHandle[] = [];
  try {
    for (const part of ['', ...parts]) {
      const handle = await open(join(place, part), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      opened.push(handle);
      place = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : join(place, part);
    }
    // A pipe without a writer must not block the caller.
    return await open(join(place, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } finally {
    for (const handle of opened) await handle.close();
  }
}
