import type { WebhookUid } from './ids.ts';

/** What kind of object stands at a path of a git tree. Only regular files may hold definitions (threat model G2). */
export type TreeEntryKind = 'file' | 'symlink' | 'submodule';

/** Files larger than this are not read; their size alone makes them an error. */
export const MAX_DEFINITION_BYTES = 262_144;

/** One entry of a definition tree. */
export interface TreeEntry {
  /** Path relative to the factory's root, `/` between segments. */
  path: string;
  kind: TreeEntryKind;
  /** Size in bytes as git states it. */
  size: number;
  /** The exact bytes; `null` for what is not a regular file or is larger than `MAX_DEFINITION_BYTES`. */
  bytes: Uint8Array | null;
}

/** An entry that cannot be part of a definition, because of its name or of what it is. Makes the tree invalid. */
export interface UnusableEntry {
  /** Path relative to the root of the repository, with everything written out that a terminal would not show. */
  file: string;
  /** One sentence that says what is wrong and what to do. */
  message: string;
}

/** The part of a repository that can hold a factory's definition: `factory.yaml`, `webhooks/`, `automations/`. */
export interface SourceTree {
  /** Folder of the factory inside the repository: `''` or `sub/dir/`, to be put before every `path` that is shown. */
  prefix: string;
  entries: TreeEntry[];
  unusable?: readonly UnusableEntry[];
  /** Only where the source keeps UIDs with webhooks that were renamed: name → UID. */
  uids?: ReadonlyMap<string, WebhookUid>;
}
