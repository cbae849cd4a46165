import type { CliContext } from '../context.ts';
import { CliError } from '../exit-codes.ts';
import { type Profile, ProfileStore } from './profile-store.ts';

/** Options that name a daemon. */
interface DaemonOptions {
  url?: string | undefined;
  dataDir?: string | undefined;
  profile?: string | undefined;
}

/** A profile with its name. */
export interface ChosenProfile {
  name: string;
  profile: Profile;
}

/**
 * The profile that `--profile` or `DOCKBELL_PROFILE` names; `null` if another option or variable names a daemon. Order:
 * `--url` and `--data-dir`, `--profile`, `DOCKBELL_URL`, `DOCKBELL_DATA_DIR`, `DOCKBELL_PROFILE`.
 */
export async function findNamedProfile(
  options: DaemonOptions,
  context: Pick<CliContext, 'env'>,
): Promise<ChosenProfile | null> {
  const { env } = context;
  const named = options.url ?? options.dataDir;
  if (options.profile !== undefined && named !== undefined) {
    throw new CliError('--profile cannot be used with --url or --data-dir.', { hint: 'Each of them names a daemon.' });
  }
  const isNamed = named !== undefined || Boolean(env.DOCKBELL_URL) || Boolean(env.DOCKBELL_DATA_DIR);
  const name = options.profile ?? (isNamed ? undefined : env.DOCKBELL_PROFILE || undefined);
  return name === undefined ? null : { name, profile: await new ProfileStore(context).require(name) };
}

/** The profile in use; `null` if none is. */
export async function findProfileInUse(context: Pick<CliContext, 'env'>): Promise<ChosenProfile | null> {
  const { current, profiles } = await new ProfileStore(context).read();
  return current === null ? null : { name: current, profile: profiles.get(current)! };
}
