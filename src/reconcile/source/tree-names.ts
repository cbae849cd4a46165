import { AGENT_FOLDERS } from '../../domain/definitions/agent-files.ts';
import type { SourceTree, UnusableEntry } from '../../domain/definitions/source-tree.ts';
import type { SourceFailed } from '../../domain/ports/sources.ts';
import { hasUnprintable, quote, quoteBytes } from './printable-text.ts';
import { failed } from './source-limits.ts';

/**
 * The paths of a definition, and their misspellings. Misspelled paths are read so that validation can report them.
 */
const DEFINITION_PATHS: readonly string[] = [
  'factory.yaml',
  'Factory.yaml',
  'FACTORY.yaml',
  'factory.yml',
  'Factory.yml',
  'factory.YAML',
  'FACTORY.YAML',
  'webhooks',
  'Webhooks',
  'WEBHOOKS',
  'WebHooks',
  'webHooks',
  'automations',
  'Automations',
  'AUTOMATIONS',
];

/** Everything in a repository that is read: the definition, and the files that runs get. */
export const READ_PATHS: readonly string[] = [...DEFINITION_PATHS, ...AGENT_FOLDERS];

/** Does a tree contain both folders of a definition? */
export function hasDefinitionFolders(entries: readonly { path: string }[]): boolean {
  return ['webhooks/', 'automations/'].every((folder) => entries.some(({ path }) => path.startsWith(folder)));
}

/** The names that can be shown and compared as they are. */
export function keepPlainNames(names: readonly string[]): string[] {
  return names.filter((name) => /^[\w-][\w.-]{0,100}$/.test(name));
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A name in a tree: its path, or why it is unusable. */
export type TreePathResult = { ok: true; path: string } | { ok: false; unusable: UnusableEntry };

/** Most paths: ASCII without control characters, and no segment starts with a dot. */
const PLAIN_PATH = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

/** Reads a path of a tree. A name that is not valid UTF-8, or that git or a terminal could misread, is unusable (G2). */
export function readTreePath(bytes: Buffer): TreePathResult {
  const plain = bytes.toString('latin1');
  if (PLAIN_PATH.test(plain)) return { ok: true, path: plain };
  const path = decodeUtf8(bytes);
  if (path === null) return unusable(quoteBytes(bytes), 'is not valid UTF-8; rename it');
  if (hasUnprintable(path)) return unusable(quote(path), 'contains a control character; rename it');
  if (path.split('/').some(isReservedSegment)) return unusable(quote(path), 'is reserved by git; remove it');
  return { ok: true, path };
}

function unusable(quoted: string, what: string): TreePathResult & { ok: false } {
  return { ok: false, unusable: { file: quoted.slice(1, -1), message: `The name ${quoted} in the tree ${what}.` } };
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

function isReservedSegment(segment: string): boolean {
  return segment === '' || segment === '.' || segment === '..' || segment.toLowerCase() === '.git';
}

type FolderResult = { ok: true; prefix: SourceTree['prefix'] } | SourceFailed;

/** Converts the folder of a factory in its repository (`.` is the root) to a prefix for paths: `''` or `sub/dir/`. */
export function parseFactoryFolder(folder: string): FolderResult {
  const segments = folder.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (folder.startsWith('/') || segments.includes('..') || hasUnprintable(folder)) {
    return failed('RepositoryRefused', `The path ${quote(folder)} is not a folder inside the repository.`);
  }
  return { ok: true, prefix: segments.map((segment) => `${segment}/`).join('') };
}
