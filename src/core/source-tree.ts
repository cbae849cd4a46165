import type { WebhookUid } from './ids.ts';

/** Kinds of objects in a git tree. Only regular files may contain definitions (threat model G2). */
export type TreeEntryKind = 'file' | 'symlink' | 'submodule';

/** Larger files are not read and are errors. */
export const MAX_DEFINITION_BYTES = 262_144;

/** One entry of a definition tree. */
export interface TreeEntry {
  /** Path relative to the root of the factory, with `/` between segments. */
  path: string;
  kind: TreeEntryKind;
  /** Size in bytes as reported by git. */
  size: number;
  /** The exact bytes; `null` unless the entry is a regular file of at most `MAX_DEFINITION_BYTES`. */
  bytes: Uint8Array | null;
}

/** An entry that cannot be part of a definition because of its name or kind. Makes the tree invalid. */
export interface UnusableEntry {
  /** Path relative to the root of the repository, with non-printable characters escaped. */
  file: string;
  /** One sentence with the problem and the action to take. */
  message: string;
}

/** The part of a repository that can hold a factory's definition: `factory.yaml`, `webhooks/`, `automations/`. */
export interface SourceTree {
  /** Folder of the factory inside the repository: `''` or `sub/dir/`. Prefix of every displayed `path`. */
  prefix: string;
  entries: TreeEntry[];
  unusable?: readonly UnusableEntry[];
  /** UIDs of renamed webhooks by name, if the source keeps UIDs. */
  uids?: ReadonlyMap<string, WebhookUid>;
}
