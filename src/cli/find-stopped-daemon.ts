import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { escapeText } from '../domain/words/escape-text.ts';
import type { CommandSession } from './command-session.ts';
import { CONFIG_FILE, DEFAULT_DATA_DIR, findDataDir } from './connection.ts';
import type { CliContext } from './context.ts';
import { CliError } from './exit-codes.ts';
import { findConfigFile } from './find-config-file.ts';

/** The description of `--config` of commands that work while the daemon is stopped. */
export const STOPPED_CONFIG = `configuration of a stopped daemon that stores in PostgreSQL (default: ${CONFIG_FILE}, if it exists)`;

/** Where a stopped daemon has its data. */
interface DaemonPlace {
  dataDir: string;
  storage: Config['storage'];
}

/**
 * The data directory as for any command, and the storage that the environment and the configuration name. A configuration in
 * the working directory counts only if its daemon has this data directory.
 */
export async function findStoppedDaemon(
  { context, globals }: Pick<CommandSession, 'context' | 'globals'>,
  config: string | undefined,
): Promise<DaemonPlace> {
  const file = findConfigFile(config, context.cwd);
  const dataDir = await findDataDir(globals, context, file);
  const { readStorage } = await import('../config/load-config.ts');
  const isItsFile = config !== undefined || (await isConfigOf(dataDir, file, context));
  const storage = await readStorage(isItsFile ? file : null, context.env);
  await requireKnownStorage(dataDir, storage, context.env);
  return { dataDir, storage };
}

async function isConfigOf(dataDir: string, file: string, { cwd, env }: CliContext): Promise<boolean> {
  if (!existsSync(file)) return false;
  const { readDataDir } = await import('../config/load-config.ts');
  return ((await readDataDir(file, env)) ?? resolve(cwd, DEFAULT_DATA_DIR)) === dataDir;
}

/** Throws if the daemon stored in PostgreSQL, and nothing says where. A SQLite file that is left has old data. */
export async function requireKnownStorage(
  dataDir: string,
  { type }: Config['storage'],
  env: CliContext['env'],
): Promise<void> {
  if (type === 'postgres' || env.DOCKBELL_STORAGE_TYPE !== undefined) return;
  const [{ resolveDataPaths }, { usesPostgres }] = await Promise.all([
    import('../platform/data-dir/data-paths.ts'),
    import('../platform/data-dir/storage-note.ts'),
  ]);
  if (!(await usesPostgres(resolveDataPaths(dataDir).storageNote))) return;
  throw new CliError(`The daemon of ${escapeText(dataDir)} stores in PostgreSQL, and its database is not known.`, {
    code: 'config_invalid',
    hint: 'Name its configuration with --config, or set DOCKBELL_STORAGE_TYPE=postgres and DOCKBELL_STORAGE_URL. If it now uses SQLite, set DOCKBELL_STORAGE_TYPE=sqlite.',
  });
}
