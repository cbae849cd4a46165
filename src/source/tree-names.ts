import type { SourceTree } from '../core/source-tree.ts';
import { hasUnprintable, quote, quoteBytes } from './printable-text.ts';
import { failed, type SourceFailed } from './source-limits.ts';

/** What a definition can consist of; everything else in a repository is not read. */
export const DEFINITION_PATHS = ['factory.yaml', 'webhooks', 'automations'] as const;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads a path of a tree; a name that is no valid UTF-8, or that git or a terminal could misread, is refused (G2). */
export function readTreePath(bytes: Uint8Array): { ok: true; path: string } | SourceFailed {
  const path = decodeUtf8(bytes);
  if (path === null)
    return failed('TreeOdd', `The name ${quoteBytes(bytes)} in the tree is not valid UTF-8; rename it.`);
  if (hasUnprintable(path)) {
    return failed('TreeOdd', `The name ${quote(path)} in the tree holds a control character; rename it.`);
  }
  if (path.split('/').some(isReservedSegment)) {
    return failed('TreeOdd', `The name ${quote(path)} in the tree is reserved by git; remove it.`);
  }
  return { ok: true, path };
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

/** Refuses two names that a file system which ignores case or composition would take for one. */
export function findCaseCollision(paths: Iterable<string>): SourceFailed | null {
  const seen = new Map<string, string>();
  for (const path of paths) {
    for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
      const name = end === -1 ? path : path.slice(0, end);
      const folded = foldCase(name);
      const earlier = seen.get(folded);
      if (earlier !== undefined && earlier !== name) return collision(earlier, name);
      seen.set(folded, name);
      if (end === -1) break;
    }
  }
  return null;
}

function collision(a: string, b: string): SourceFailed {
  return failed('TreeOdd', `The names ${quote(a)} and ${quote(b)} in the tree differ only in letter case; rename one.`);
}

function foldCase(name: string): string {
  return name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');
}

export type FolderResult = { ok: true; prefix: SourceTree['prefix'] } | SourceFailed;

/** Turns the folder of a factory inside its repository (`.` is the root) into a prefix for paths: `''` or `sub/dir/`. */
export function parseFactoryFolder(folder: string): FolderResult {
  const segments = folder.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (folder.startsWith('/') || segments.includes('..') || hasUnprintable(folder)) {
    return failed('RepositoryRefused', `The path ${quote(folder)} is not a folder inside the repository.`);
  }
  return { ok: true, prefix: segments.map((segment) => `${segment}/`).join('') };
}
