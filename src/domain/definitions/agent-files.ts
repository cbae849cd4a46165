import { createHash } from 'node:crypto';
import type { TreeEntry } from './source-tree.ts';

/** The folders of a factory whose files runs get. */
export const AGENT_FOLDERS = ['agents', 'runners', 'skills'] as const;

/** Limits of the agent files of one tree, in addition to `MAX_DEFINITION_BYTES` of one file. */
export const MAX_AGENT_FILES = 1000;
export const MAX_AGENT_BYTES = 4 * 1024 * 1024;

const AGENT_PATH = new RegExp(`^(?:${AGENT_FOLDERS.join('|')})/`);

/** Is this path, relative to the folder of the factory, in a folder whose files runs get? */
export function isAgentPath(path: string): boolean {
  return AGENT_PATH.test(path);
}

/** A file that the runs of a revision get. */
export interface AgentFile {
  /** As in `TreeEntry`. */
  path: string;
  digest: string;
  size: number;
}

/** The agent files of a revision. Equal sets have equal digests. */
export interface AgentFileSet {
  /** `''` for no files. */
  digest: string;
  /** In the order of their paths. */
  files: readonly AgentFile[];
}

export const NO_AGENT_FILES: AgentFileSet = { digest: '', files: [] };

/** An agent file as a run gets it. */
export interface AgentFileContent {
  path: string;
  bytes: Uint8Array;
}

/**
 * Why runs do not get an entry: it is not a regular file, no file system can store its name, it is larger than
 * `MAX_DEFINITION_BYTES`, or over the limits of a tree.
 */
export type OmissionReason = 'not_a_file' | 'long_name' | 'too_large' | 'too_many';

/** Limits of most file systems, in bytes: of one name, and of a path with room for the folder of the run. */
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 1024;

type EntryName = Pick<TreeEntry, 'path' | 'kind' | 'size' | 'digest'>;

interface SelectedAgentFiles<Entry> {
  selected: Entry[];
  omitted: { entry: Entry; reason: OmissionReason }[];
}

/**
 * Chooses the entries that runs get, in the order of their paths.
 *
 * @param isReadable is a regular file small enough to be read?
 */
export function selectAgentFiles<Entry extends EntryName>(
  entries: readonly Entry[],
  isReadable: (entry: Entry) => boolean,
): SelectedAgentFiles<Entry> {
  const chosen: SelectedAgentFiles<Entry> = { selected: [], omitted: [] };
  let bytes = 0;
  for (const entry of entries.filter(({ path }) => isAgentPath(path)).sort(comparePaths)) {
    const reason = findReason(entry, isReadable(entry), { files: chosen.selected.length, bytes });
    if (reason !== null) chosen.omitted.push({ entry, reason });
    else {
      chosen.selected.push(entry);
      bytes += entry.size;
    }
  }
  return chosen;
}

function findReason(entry: EntryName, isReadable: boolean, taken: { files: number; bytes: number }) {
  if (entry.kind !== 'file') return 'not_a_file';
  if (isLong(entry.path)) return 'long_name';
  if (!isReadable) return 'too_large';
  return taken.files >= MAX_AGENT_FILES || taken.bytes + entry.size > MAX_AGENT_BYTES ? 'too_many' : null;
}

function isLong(path: string): boolean {
  const tooLong = (name: string) => Buffer.byteLength(name) > MAX_NAME_BYTES;
  return Buffer.byteLength(path) > MAX_PATH_BYTES || path.split('/').some(tooLong);
}

function comparePaths(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/** The agent files of a tree, and their bytes as far as the tree has them. */
export interface ReadAgentFiles {
  set: AgentFileSet;
  contents: ReadonlyMap<string, Uint8Array>;
}

/** The files that runs of this tree get. Bytes that the reader of the tree knew are not among them. */
export function collectAgentFiles(entries: readonly TreeEntry[]): ReadAgentFiles {
  const { selected } = selectAgentFiles(entries, ({ content }) => content !== 'unread');
  const files = selected.map(({ path, digest, size }) => ({ path, digest, size }));
  const contents = selected.flatMap(({ digest, bytes }) => (bytes === null ? [] : [[digest, bytes] as const]));
  return { set: { digest: digestFiles(files), files }, contents: new Map(contents) };
}

function digestFiles(files: readonly AgentFile[]): string {
  if (files.length === 0) return NO_AGENT_FILES.digest;
  const lines = files.map(({ path, digest }) => `${digest} ${path}\0`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}
