import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { ValidatedTree } from '../../src/definitions/check/check-definition.ts';
import { validateTree } from '../../src/definitions/validate-tree.ts';
import { createFileEntry, type SourceTree, type TreeEntry } from '../../src/domain/definitions/source-tree.ts';

/** Text or bytes of a file, or an entry that is not a file. */
export type EntryContent = string | Uint8Array | { kind: 'symlink' | 'submodule' };

/** A tree as a source returns it, from path → content. */
export function createTree(files: { [path: string]: EntryContent }, prefix = ''): SourceTree {
  return { prefix, entries: Object.entries(files).map(([path, content]) => createEntry(path, content)) };
}

function createEntry(path: string, content: EntryContent): TreeEntry {
  if (typeof content === 'object' && 'kind' in content) {
    return { path, kind: content.kind, size: 0, digest: '', content: 'unread', bytes: null };
  }
  return createFileEntry(path, typeof content === 'string' ? new TextEncoder().encode(content) : content);
}

/** A tree from a folder of fixtures. */
export function readTree(folder: string): SourceTree {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return createTree(
    Object.fromEntries(paths.map((path) => [relative(folder, path).split(sep).join('/'), readFileSync(path)])),
  );
}

/** Validates path → content as an offline check does. */
export function validateFiles(
  files: { [path: string]: EntryContent },
  { prefix = '', knownUids = {} }: { prefix?: string; knownUids?: { [name: string]: string } } = {},
): ValidatedTree {
  return validateTree(createTree(files, prefix), {
    webhooksPerFactory: 20,
    knownUids: new Map(Object.entries(knownUids)),
  });
}
