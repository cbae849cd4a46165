import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { quoteForShell } from '../../domain/words/escape-text.ts';
import { withoutPassword } from '../../storage/postgres/describe-url.ts';

/** What a backup of a daemon on PostgreSQL consists of. */
interface PostgresDaemon {
  dataDir: string;
  masterKeyFile: string;
  url: string;
}

/** The error of a backup that only the tools of PostgreSQL can make: the commands to run instead, without the password. */
export function createPostgresBackupError({ dataDir, masterKeyFile, url }: PostgresDaemon): AppError {
  const dump = `pg_dump --format=custom --file=dockbell.dump ${quoteForShell(withoutPassword(url))}`;
  const folders = ['managed', 'tickets'].map((folder) => quoteForShell(join(dataDir, folder))).join(' ');
  return new AppError(
    'conflict',
    `The daemon stores in PostgreSQL, so no backup was made. Run: ${dump}. Then copy these folders if they exist: ${folders}. ` +
      `Keep the master key (${masterKeyFile}, or DOCKBELL_MASTER_KEY) in another place`,
  );
}
