import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';

/** Content of the file that `dockbell dev` leaves in the folder of its factory while it runs. */
interface DevFile {
  pid: number;
  /** Absolute path. */
  data_dir: string;
}

export function locateDevFile(dir: string): string {
  return join(dir, '.dockbell', 'dev.json');
}

/** `null` if no such file exists, or if it is not what `dockbell dev` writes. */
export async function readDevFile(dir: string): Promise<DevFile | null> {
  try {
    const { pid, data_dir } = JSON.parse(await readFile(locateDevFile(dir), 'utf8')) as Partial<DevFile>;
    const isValid = typeof pid === 'number' && typeof data_dir === 'string' && isAbsolute(data_dir);
    return isValid ? { pid, data_dir } : null;
  } catch {
    return null;
  }
}

/** The data directory of the `dockbell dev` that runs in this folder; `null` if none runs. */
export async function findDevDataDir(dir: string): Promise<string | null> {
  const dev = await readDevFile(dir);
  if (dev === null) return null;
  const isRunning = await stat(join(dev.data_dir, 'daemon.json')).then(
    (found) => found.isFile(),
    () => false,
  );
  return isRunning ? dev.data_dir : null;
}
