import { createHash } from 'node:crypto';
import type { WebhookUid } from '../ids.ts';

/** Kinds of objects in a git tree. Only regular files may contain definitions (threat model G2). */
export type TreeEntryKind = 'file' | 'symlink' | 'submodule';

/** Larger files are not read and are errors. */
export const MAX_DEFINITION_BYTES = 262_144;

/** One entry of a definition tree. */
export type TreeEntry = TreeEntryName & TreeEntryContent;

interface TreeEntryName {
  /** Path relative to the root of the factory, with `/` between segments. */
  path: string;
  kind: TreeEntryKind;
  /** Size in bytes as reported by git. */
  size: number;
  /** Identifies the content: entries with the same path and digest have the same bytes. The ID of the blob, as in git. */
  digest: string;
}

/**
 * `read`: a regular file of at most `MAX_DEFINITION_BYTES`, with its exact bytes. `known`: such a file, but the reader of
 * the tree has said that it knows this digest. `unread`: a larger file, or not a regular file.
 */
type TreeEntryContent = { content: 'read'; bytes: Uint8Array } | { content: 'known' | 'unread'; bytes: null };

/** The files whose bytes a reader of a tree does not need. */
export interface KnownFiles {
  has(path: string, digest: string): boolean;
}

/** The digest of a file: the ID that git gives to a blob with these bytes. */
export function digestBytes(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** The entry of a regular file. */
export function createFileEntry(path: string, bytes: Uint8Array): TreeEntry {
  const name = { path, kind: 'file', size: bytes.length, digest: digestBytes(bytes) } as const;
  return bytes.length > MAX_DEFINITION_BYTES
    ? { ...name, content: 'unread', bytes: null }
    : { ...name, content: 'read', bytes };
}

/** An entry that cannot be used because of its name or kind. Makes the tree invalid, unless it is ignored. */
export interface UnusableEntry {
  /** Path relative to the root of the repository, with non-printable characters escaped. */
  file: string;
  /** One sentence with the problem and the action to take. */
  message: string;
  /** Is it one of the agent files, which runs then do not get? */
  isIgnored?: boolean;
}

/**
 * The part of a repository that can hold a factory's definition: `factory.yaml`, `webhooks/`, `automations/`. And the
 * files that its runs get, in `agents/`, `runners/` and `skills/`.
 */
export interface SourceTree {
  /** Folder of the factory inside the repository: `''` or `sub/dir/`. Prefix of every displayed `path`. */
  prefix: string;
  entries: TreeEntry[];
  unusable?: readonly UnusableEntry[];
  /** Names of the folders next to the definition, if the source knows them and `webhooks/` or `automations/` is missing. */
  otherFolders?: readonly string[];
  /** UIDs of renamed webhooks by name, if the source keeps UIDs. */
  uids?: ReadonlyMap<string, WebhookUid>;
}

/** A change of one file of a tree. */
interface FileReplacement {
  path: string;
  /** The whole new text; `null` deletes the file. */
  text: string | null;
}

/** The tree after some of its files were replaced. All other entries are the same objects. */
export function replaceFiles(tree: SourceTree, files: readonly FileReplacement[]): SourceTree {
  const replaced = new Map(
    files.map(({ path, text }) => [path, text === null ? null : createFileEntry(path, new TextEncoder().encode(text))]),
  );
  const entries: TreeEntry[] = [];
  for (const entry of tree.entries) {
    const replacement = replaced.get(entry.path);
    if (replacement !== null) entries.push(replacement ?? entry);
    if (replacement !== undefined) replaced.delete(entry.path);
  }
  const added = [...replaced.values()].filter((entry) => entry !== null);
  return { ...tree, entries: [...entries, ...added] };
}
