import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { escapeText } from '../domain/words/escape-text.ts';
import type { CliContext } from './context.ts';
import { CliError, codeOfFileError } from './exit-codes.ts';
import type { ChosenProfile } from './profiles/choose-profile.ts';
import { readDaemonFile } from './read-daemon-file.ts';

/** Global options that select a daemon. */
export interface ConnectionOptions {
  url?: string | undefined;
  token?: string | undefined;
  tokenFile?: string | undefined;
  dataDir?: string | undefined;
  profile?: string | undefined;
  factory?: string | undefined;
  /** May no request of the command change anything? */
  dryRun?: boolean | undefined;
  /** All values of `--factory`, for commands that take several. */
  factories?: readonly string[] | undefined;
}

/** A daemon's management API and the token for it. */
export interface Connection {
  /** Without a trailing slash, without `/api/v1`. */
  url: string;
  token: string;
  /** The profile that named it, if one did. */
  profile?: { name: string; factory: string | null };
}

/** No token is known for an address. Whether a daemon is there is not known either. */
export class MissingToken extends CliError {
  readonly url: string;

  constructor(url: string, hint: string) {
    super(`There is no API token for ${url}.`, { code: 'unauthorized', hint });
    this.name = 'MissingToken';
    this.url = url;
  }
}

export const DEFAULT_DATA_DIR = './.dockbell';
/** The configuration that `serve` reads in the working directory. */
export const CONFIG_FILE = 'dockbell.yaml';

/**
 * Finds the daemon (`--url`, `DOCKBELL_URL`, else `daemon.json` in the data directory) and the token (`--token`,
 * `--token-file`, `DOCKBELL_TOKEN`, `DOCKBELL_TOKEN_FILE`, else `admin-token` in the data directory). The token of a data
 * directory is sent to the daemon of that directory only, never to another address. Nothing else named a daemon? Then
 * comes the `dockbell dev` that runs in the working directory, then its data directory if it exists, then the profile in use. The
 * last one is the service of this machine, unless the working directory has a `dockbell.yaml`.
 */
export async function findConnection(options: ConnectionOptions, context: CliContext): Promise<Connection> {
  const chosen = await chooseProfile(options, context);
  return chosen === null ? connectUnnamed(options, context) : connectProfile(chosen, options, context);
}

async function chooseProfile(options: ConnectionOptions, context: CliContext): Promise<ChosenProfile | null> {
  const { findNamedProfile, findProfileInUse } = await import('./profiles/choose-profile.ts');
  const named = await findNamedProfile(options, context);
  if (named !== null || isNamed(options, context) || (await findDev(options, context)) !== null) return named;
  return (await exists(await findDataDir(options, context))) ? null : findProfileInUse(context);
}

/** Does an option or a variable name a daemon, other than by a profile? */
function isNamed({ url, dataDir }: ConnectionOptions, { env }: CliContext): boolean {
  return Boolean(url ?? dataDir ?? (env.DOCKBELL_URL || env.DOCKBELL_DATA_DIR));
}

/** The token of a profile is sent to its address only, and a token of the environment never. */
async function connectProfile(
  { name, profile }: ChosenProfile,
  { token, tokenFile }: ConnectionOptions,
  { cwd, env, ...context }: CliContext,
): Promise<Connection> {
  const options = { url: profile.url ?? undefined, dataDir: profile.data_dir ?? undefined, token, tokenFile };
  const isGiven = token !== undefined || tokenFile !== undefined;
  if (!isGiven && profile.token_file !== null) options.token = await readProfileToken(name, profile.token_file);
  const { url, token: used } = await connectUnnamed(options, { ...context, cwd, env: {} });
  return { url, token: used, profile: { name, factory: profile.factory } };
}

async function readProfileToken(name: string, path: string): Promise<string> {
  const { readPrivateFile } = await import('./profiles/read-private-file.ts');
  const text = await readPrivateFile(path, { mustBeOurs: false });
  if (text !== null) return text.trim();
  throw new CliError(`The token file ${escapeText(path)} of the profile ${name} does not exist.`, {
    code: 'unauthorized',
    hint: `Create it, or run 'dockbell profile add ${name} --force'.`,
  });
}

async function connectUnnamed(options: ConnectionOptions, context: CliContext): Promise<Connection> {
  const named = options.url ?? (context.env.DOCKBELL_URL || undefined);
  const devDataDir = named === undefined ? await findDev(options, context) : null;
  const dataDir = devDataDir ?? (await findClientDataDir(options, context));
  const url = named === undefined ? await requireLocalUrl(dataDir) : requireAddress(named);
  // A token of the environment is for the daemon that the user works with otherwise.
  const env = devDataDir === null ? context.env : {};
  const token = (await readNamedToken(options, { ...context, env })) ?? (await readLocalToken(dataDir, url));
  return { url, token: requireToken(token) };
}

/** The token if it can be one. Throws `CliError` otherwise. */
export function requireToken(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new CliError('The API token is empty or contains invalid characters.', {
    code: 'unauthorized',
    hint: 'Check --token, --token-file, DOCKBELL_TOKEN or DOCKBELL_TOKEN_FILE; a token starts with dbk_.',
  });
}

/** The data directory of a `dockbell dev` in the working directory. `null` if none runs, or if another daemon is named. */
async function findDev(options: ConnectionOptions, { cwd, env }: CliContext): Promise<string | null> {
  if ((options.dataDir ?? (env.DOCKBELL_DATA_DIR || undefined)) !== undefined) return null;
  const { findDevDataDir } = await import('./dev/dev-file.ts');
  return findDevDataDir(cwd);
}

/** As `findDataDir`. If nothing names a daemon and the working directory has none, it is that of the service of this machine. */
async function findClientDataDir(options: ConnectionOptions, context: CliContext): Promise<string> {
  const dataDir = await findDataDir(options, context);
  if (isNamed(options, context) || (await exists(dataDir)) || (await exists(resolve(context.cwd, CONFIG_FILE))))
    return dataDir;
  const { findServerDataDir } = await import('./find-server.ts');
  return (await findServerDataDir(context)) ?? dataDir;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

/** Is a daemon running that commands in this folder find, other than a `dockbell dev`? */
export async function isServed(dir: string): Promise<boolean> {
  try {
    return (await readLocalUrl(await findDataDir({}, { cwd: dir, env: {} }))) !== null;
  } catch {
    return false;
  }
}

/** `--data-dir`, `DOCKBELL_DATA_DIR`, `dataDir` of the configuration (`dockbell.yaml` here), else `./.dockbell`. */
export async function findDataDir(
  options: ConnectionOptions,
  { cwd, env }: Pick<CliContext, 'cwd' | 'env'>,
  configFile?: string,
): Promise<string> {
  const named = options.dataDir ?? (await readProfileDataDir(options, env)) ?? (env.DOCKBELL_DATA_DIR || undefined);
  if (named !== undefined) return resolve(cwd, named);
  const { readDataDir } = await import('../config/load-config.ts');
  // `sudo -u dockbell` can start a command in a folder that its user may not enter.
  const file = configFile ?? ((await exists(`${cwd}/.`)) ? resolve(cwd, CONFIG_FILE) : null);
  return (file === null ? null : await readDataDir(file, env)) ?? resolve(cwd, DEFAULT_DATA_DIR);
}

/** The data directory of a named profile; `null` without a profile. Throws for a daemon that is only known by its address. */
async function readProfileDataDir(options: ConnectionOptions, env: CliContext['env']): Promise<string | null> {
  if (options.profile === undefined && !env.DOCKBELL_PROFILE) return null;
  const { findNamedProfile } = await import('./profiles/choose-profile.ts');
  const chosen = await findNamedProfile(options, { env });
  if (chosen === null || chosen.profile.data_dir !== null) return chosen?.profile.data_dir ?? null;
  throw new CliError(`The profile ${chosen.name} names an address, and the command needs a data directory.`, {
    hint: 'Use --data-dir.',
  });
}

/** The token of the command line or the environment. `null` if neither has one. */
async function readNamedToken({ token, tokenFile }: ConnectionOptions, context: CliContext): Promise<string | null> {
  const { DOCKBELL_TOKEN, DOCKBELL_TOKEN_FILE } = context.env;
  if (token !== undefined) return token;
  if (tokenFile === undefined && DOCKBELL_TOKEN) return DOCKBELL_TOKEN;
  const file = tokenFile ?? (DOCKBELL_TOKEN_FILE || undefined);
  if (file === undefined) return null;
  const path = resolve(context.cwd, file);
  const text = await readTextIfThere(path);
  if (text === null) throw new CliError(`The token file ${path} does not exist.`, { code: 'unauthorized' });
  return text.trim();
}

/** The address without path of the API, query and credentials. Throws `CliError` if it is not one. */
export function requireAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new CliError(`'${text}' is not the address of a daemon.`, {
      hint: 'Use the admin address, such as http://127.0.0.1:8788.',
    });
  }
  return `${url.origin}${url.pathname}`.replace(/\/+(api\/v1\/*)?$/, '');
}

async function requireLocalUrl(dataDir: string): Promise<string> {
  const url = await readLocalUrl(dataDir);
  if (url !== null) return url;
  throw new CliError(`No daemon is running with the data directory ${dataDir}.`, {
    code: 'unreachable',
    hint: "Start one with 'dockbell serve', or specify its data directory with --data-dir, or its address with --url and --token-file.",
  });
}

/** The admin address that the daemon of this data directory wrote. `null` if no daemon is running. */
async function readLocalUrl(dataDir: string): Promise<string | null> {
  const path = join(dataDir, 'daemon.json');
  const text = await readDaemonFile(path);
  if (text === null) return null;
  try {
    const { admin_url } = JSON.parse(text) as { admin_url?: unknown };
    if (typeof admin_url === 'string') return requireAddress(admin_url);
  } catch (cause) {
    throw unreadableDaemonFile(path, cause);
  }
  throw unreadableDaemonFile(path);
}

function unreadableDaemonFile(path: string, cause?: unknown): CliError {
  return new CliError(`${path} does not contain the address of a daemon.`, {
    code: 'unreachable',
    hint: 'Restart the daemon, which writes the file again, or specify its address with --url.',
    cause,
  });
}

async function readLocalToken(dataDir: string, url: string): Promise<string> {
  const localUrl = await readLocalUrl(dataDir);
  const token =
    localUrl !== null && isSameDaemon(localUrl, url) ? await readDaemonFile(join(dataDir, 'admin-token')) : null;
  if (token !== null) return token.trim();
  throw new MissingToken(
    url,
    `Specify one with --token-file, --token, DOCKBELL_TOKEN or DOCKBELL_TOKEN_FILE, or the data directory of that daemon with --data-dir (its admin-token file is not in ${dataDir}).`,
  );
}

function isSameDaemon(a: string, b: string): boolean {
  const [first, second] = [new URL(a), new URL(b)];
  const sameHost = first.hostname === second.hostname || (isLoopback(first.hostname) && isLoopback(second.hostname));
  return sameHost && first.port === second.port && first.protocol === second.protocol;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

async function readTextIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new CliError(`${path} cannot be read (${code}).`, {
      code: codeOfFileError(cause),
      cause,
    });
  }
}
