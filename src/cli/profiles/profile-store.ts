import { mkdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { suggest } from '../../domain/suggest.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { writeDurably } from '../../platform/files/write-durably.ts';
import type { CliContext } from '../context.ts';
import { CliError } from '../exit-codes.ts';
import { readPrivateFile } from './read-private-file.ts';

/** A named connection. It has either an address or a data directory. */
export interface Profile {
  /** Admin address of the daemon. */
  url: string | null;
  /** Absolute path of a data directory on this machine. */
  data_dir: string | null;
  /** Absolute path of the file with the API token; `null` for the one of the data directory. */
  token_file: string | null;
  /** The factory for commands that need one. */
  factory: string | null;
}

/** The content of the file. */
export interface Profiles {
  /** Name of the profile in use; `null` if none is. */
  current: string | null;
  /** In the order in which they were added. */
  profiles: ReadonlyMap<string, Profile>;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Throws `CliError` for a name that no profile can have. */
export function requireProfileName(name: string): void {
  if (NAME.test(name)) return;
  throw new CliError(`'${escapeText(name)}' cannot be the name of a profile.`, {
    hint: 'Use a letter or digit, then at most 63 letters, digits, dots, hyphens or underscores.',
  });
}

/** The profiles of the user: a file with mode 0600, and a file with the token of each profile that was added with a token. */
export class ProfileStore {
  readonly #folder: string;
  /** Absolute path. */
  readonly file: string;

  constructor({ env }: Pick<CliContext, 'env'>) {
    const { XDG_CONFIG_HOME: configured = '' } = env;
    // The specification of XDG says to ignore relative paths.
    const config = isAbsolute(configured) ? configured : join(env.HOME || homedir(), '.config');
    this.#folder = join(config, 'dockbell');
    this.file = join(this.#folder, 'profiles.json');
  }

  /** Throws `CliError` if the file is invalid, or if other users can access it. */
  async read(): Promise<Profiles> {
    const text = await readPrivateFile(this.file, { mustBeOurs: true });
    if (text === null) return { current: null, profiles: new Map() };
    const profiles = parseProfiles(text);
    if (profiles !== null) return profiles;
    throw new CliError(`${escapeText(this.file)} does not contain profiles.`, {
      hint: 'Correct it, or delete it and add the profiles again.',
    });
  }

  /** The profile of that name. Throws `CliError` `not_found` with the names that exist. */
  async require(name: string): Promise<Profile> {
    const { profiles } = await this.read();
    const found = profiles.get(name);
    if (found !== undefined) return found;
    const names = [...profiles.keys()];
    const similar = suggest(name, names);
    const known = names.length === 0 ? "Add one with 'dockbell profile add'." : `There are: ${names.join(', ')}.`;
    throw new CliError(`There is no profile '${escapeText(name)}'.`, {
      code: 'not_found',
      hint: similar === null ? known : `Did you mean ${similar}? ${known}`,
    });
  }

  async write({ current, profiles }: Profiles): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const content = { current, profiles: Object.fromEntries(profiles) };
    await writeDurably(this.file, `${JSON.stringify(content, null, 2)}\n`);
  }

  /** Stores a token for the profile of that name, and resolves with the path of its file. */
  async writeToken(name: string, token: string): Promise<string> {
    const path = this.#tokenFile(name);
    await mkdir(join(this.#folder, 'tokens'), { recursive: true, mode: 0o700 });
    await writeDurably(path, `${token}\n`);
    return path;
  }

  /** Deletes the token that was stored for the profile, if any. Other token files are not touched. */
  async removeToken(name: string): Promise<void> {
    await rm(this.#tokenFile(name), { force: true });
  }

  #tokenFile(name: string): string {
    return join(this.#folder, 'tokens', name);
  }
}

function parseProfiles(text: string): Profiles | null {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return null;
  }
  const { current, profiles } = (content ?? {}) as { current?: unknown; profiles?: unknown };
  if (typeof profiles !== 'object' || profiles === null || Array.isArray(profiles)) return null;
  const entries = Object.entries(profiles);
  if (!entries.every((entry): entry is [string, Profile] => NAME.test(entry[0]) && isProfile(entry[1]))) return null;
  const known = new Map(entries);
  if (current === null || (typeof current === 'string' && known.has(current))) return { current, profiles: known };
  return null;
}

function isProfile(value: unknown): value is Profile {
  if (typeof value !== 'object' || value === null) return false;
  const { url, data_dir: dataDir, token_file: tokenFile, factory } = value as Record<string, unknown>;
  const isAddressed = url === null ? isPath(dataDir) : isAddress(url) && dataDir === null && isPath(tokenFile);
  return isAddressed && (tokenFile === null || isPath(tokenFile)) && (factory === null || isPlain(factory));
}

function isPlain(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && escapeText(value) === value;
}

function isPath(value: unknown): boolean {
  return isPlain(value) && isAbsolute(value);
}

function isAddress(value: unknown): boolean {
  return isPlain(value) && /^https?:\/\//.test(value) && URL.canParse(value);
}
