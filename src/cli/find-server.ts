import { stat } from 'node:fs/promises';
import type { CliContext } from './context.ts';

/**
 * The data directory of the daemon that is a service of this machine: as its configuration says, otherwise the usual one.
 * `null` if the machine has none. Only files are read that the user may read.
 */
export async function findServerDataDir({ server, env }: Pick<CliContext, 'server' | 'env'>): Promise<string | null> {
  if (server === null) return null;
  const dataDir = (await readConfiguredDataDir(server.configFile, env)) ?? server.dataDir;
  const isMissing = await stat(dataDir).then(
    () => false,
    (error: unknown) => !isDenied(error),
  );
  return isMissing ? null : dataDir;
}

async function readConfiguredDataDir(file: string, env: CliContext['env']): Promise<string | null> {
  const { readDataDir } = await import('../config/load-config.ts');
  return readDataDir(file, env).catch((error: Error) => {
    if (isDenied(error.cause)) return null;
    throw error;
  });
}

function isDenied(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'EACCES';
}
