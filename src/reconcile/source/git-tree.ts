import { isAgentPath, MAX_AGENT_FILES, selectAgentFiles } from '../../domain/definitions/agent-files.ts';
import {
  type KnownFiles,
  MAX_DEFINITION_BYTES,
  type SourceTree,
  type TreeEntry,
  type TreeEntryKind,
  type UnusableEntry,
} from '../../domain/definitions/source-tree.ts';
import type { SourceFailed } from '../../domain/ports/sources.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import type { GitOutcome, RunGit } from './git-process.ts';
import { failed, formatMegabytes, type SourceLimits } from './source-limits.ts';
import { hasDefinitionFolders, keepPlainNames, READ_PATHS, readTreePath, type TreePathResult } from './tree-names.ts';

/** The repository to read, with limits. */
export interface TreeReading {
  runGit: RunGit;
  gitDir: string;
  environment: Environment;
  limits: SourceLimits;
  signal?: AbortSignal;
}

/** `Broken`: the repository itself could not be read; the tree may be valid. */
export type GitTreeResult =
  | { ok: true; tree: SourceTree }
  | SourceFailed
  | { ok: false; reason: 'Broken'; message: string };
type Step<T> = ({ ok: true } & T) | Exclude<GitTreeResult, { ok: true }>;

type ListedEntry = Pick<TreeEntry, 'path' | 'kind' | 'size' | 'digest'>;

const ENTRY_KINDS = new Map<string, TreeEntryKind>([
  ['100644', 'file'],
  ['100664', 'file'],
  ['100755', 'file'],
  ['120000', 'symlink'],
  ['160000', 'submodule'],
]);

/** Room for one entry of a listing: its mode, object id and size, and a long path. */
const LISTED_ENTRY_BYTES = 512;
/** Room for the entries of folders with agent files, most of which are then dropped: such a folder can belong to other tools. */
const AGENT_LISTING_BYTES = 32_000_000;
const BATCH_HEADER_BYTES = 128;

/**
 * Reads the definition paths of a commit from git objects. Without a checkout, nothing in the commit can run code (G2).
 *
 * @param known the files whose blobs are not read
 */
export async function readGitTree(
  reading: TreeReading,
  revision: string,
  prefix: string,
  known?: KnownFiles,
): Promise<GitTreeResult> {
  const listed = await listTree(reading, revision, prefix);
  if (!listed.ok) return listed;
  const agentFiles = new Set(selectAgentFiles(listed.entries, isReadable).selected);
  const isRead = (entry: ListedEntry) => isReadable(entry) && (!isAgentPath(entry.path) || agentFiles.has(entry));
  const readable = listed.entries.filter((entry) => isRead(entry) && !agentFiles.has(entry));
  // Counted per entry: a blob with a thousand names is read once, but the tree contains it a thousand times.
  const total = sum(readable.map(({ size }) => size));
  if (total > reading.limits.maxTreeBytes) return tooManyBytes(reading.limits);
  const isNew = ({ path, digest }: ListedEntry) => known === undefined || !known.has(path, digest);
  const wanted = new Set(listed.entries.filter((entry) => isRead(entry) && isNew(entry)));
  const blobs = await readBlobs(reading, wanted);
  if (!blobs.ok) return blobs;
  const entries = listed.entries.map((entry): TreeEntry => {
    if (wanted.has(entry)) return { ...entry, content: 'read', bytes: blobs.bytes.get(entry.digest)! };
    return { ...entry, content: isRead(entry) ? 'known' : 'unread', bytes: null };
  });
  const { unusable } = listed;
  return { ok: true, tree: { prefix, entries, ...(unusable.length === 0 ? {} : { unusable }) } };
}

/** As `readGitTree`, for a repository that people write to: they may have misspelled the name of a folder that is missing. */
export async function readCommittedTree(
  reading: TreeReading,
  revision: string,
  prefix: string,
  known?: KnownFiles,
): Promise<GitTreeResult> {
  const read = await readGitTree(reading, revision, prefix, known);
  if (!read.ok || hasDefinitionFolders(read.tree.entries)) return read;
  return { ok: true, tree: { ...read.tree, otherFolders: await listFolders(reading, revision, prefix) } };
}

/** Enough for the folders that people make. */
const FOLDER_LISTING_BYTES = 100_000;

/** The names of the folders at a prefix. Empty if they cannot be listed: they only serve a warning. */
async function listFolders(reading: TreeReading, revision: string, prefix: string): Promise<string[]> {
  const outcome = await reading.runGit({
    ...gitOptions(reading),
    args: ['ls-tree', '-d', '-z', '--name-only', '--full-tree', revision, ...(prefix === '' ? [] : ['--', prefix])],
    maxOutputBytes: FOLDER_LISTING_BYTES,
  });
  if (outcome.kind !== 'exited' || outcome.code !== 0) return [];
  const paths = outcome.stdout.toString('utf8').split('\0');
  return keepPlainNames(paths.map((path) => path.slice(prefix.length)));
}

function isReadable(entry: Pick<TreeEntry, 'kind' | 'size'>): boolean {
  return entry.kind === 'file' && entry.size <= MAX_DEFINITION_BYTES;
}

interface Listing {
  entries: ListedEntry[];
  unusable: UnusableEntry[];
}

async function listTree(reading: TreeReading, revision: string, prefix: string): Promise<Step<Listing>> {
  const outcome = await reading.runGit({
    ...gitOptions(reading),
    args: ['ls-tree', '-r', '-z', '-l', '--full-tree', revision, '--', ...READ_PATHS.map((path) => prefix + path)],
    maxOutputBytes: AGENT_LISTING_BYTES + reading.limits.maxEntries * LISTED_ENTRY_BYTES,
  });
  if (outcome.kind === 'flooded') return tooManyEntries(reading.limits);
  if (outcome.kind !== 'exited' || outcome.code !== 0) return explainRead(outcome);
  return parseListing(outcome.stdout, prefix, reading.limits);
}

function parseListing(listing: Buffer, prefix: string, limits: SourceLimits): Step<Listing> {
  const entries: ListedEntry[] = [];
  const unusable: UnusableEntry[] = [];
  let agentEntries = 0;
  for (let start = 0; start < listing.length; ) {
    const end = listing.indexOf(0, start);
    if (end === -1) return broken('the listing of the tree is incomplete');
    const line = listing.subarray(start, end);
    const entry = parseListedEntry(line, prefix);
    start = end + 1;
    const isOfAgent = isAgentLine(line, prefix);
    if (isOfAgent && ++agentEntries > MAX_AGENT_ENTRIES) continue;
    if ('unusable' in entry) unusable.push(isOfAgent ? { ...entry.unusable, isIgnored: true } : entry.unusable);
    else if (entry.ok) entries.push(entry.entry);
    else return entry;
    if (entries.length + unusable.length - Math.min(agentEntries, MAX_AGENT_ENTRIES) > limits.maxEntries) {
      return tooManyEntries(limits);
    }
  }
  return { ok: true, entries, unusable };
}

/** One more than a run gets, so that validation reports that entries are omitted. */
const MAX_AGENT_ENTRIES = MAX_AGENT_FILES + 1;

function isAgentLine(line: Buffer, prefix: string): boolean {
  const path = line.subarray(line.indexOf(0x09) + 1);
  return isAgentPath(path.subarray(Buffer.byteLength(prefix)).toString('latin1'));
}

const LISTED_ENTRY = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)$/;

/** One line of `ls-tree -l`: `MODE TYPE OBJECT SIZE<tab>PATH`, the size padded, `-` if the entry has no size. */
function parseListedEntry(
  line: Buffer,
  prefix: string,
): Step<{ entry: ListedEntry }> | (TreePathResult & { ok: false }) {
  const tab = line.indexOf(0x09);
  const [, mode = '', digest = '', size = ''] = LISTED_ENTRY.exec(line.toString('latin1', 0, Math.max(tab, 0))) ?? [];
  const name = readTreePath(line.subarray(tab + 1));
  if (!name.ok) return name;
  const kind = ENTRY_KINDS.get(mode);
  if (kind === undefined || !name.path.startsWith(prefix)) return broken('the listing of the tree cannot be read');
  const path = name.path.slice(prefix.length);
  return { ok: true, entry: { path, kind, size: size === '-' ? 0 : Number(size), digest } };
}

async function readBlobs(
  reading: TreeReading,
  entries: ReadonlySet<ListedEntry>,
): Promise<Step<{ bytes: Map<string, Uint8Array> }>> {
  const sizes = new Map(Array.from(entries, ({ digest, size }) => [digest, size]));
  if (sizes.size === 0) return { ok: true, bytes: new Map() };
  const outcome = await reading.runGit({
    ...gitOptions(reading),
    args: ['cat-file', '--batch', '--buffer'],
    stdin: Buffer.from([...sizes.keys()].map((objectId) => `${objectId}\n`).join('')),
    maxOutputBytes: sum(sizes.values()) + sizes.size * BATCH_HEADER_BYTES,
  });
  if (outcome.kind !== 'exited' || outcome.code !== 0) return explainRead(outcome);
  return parseBatch(outcome.stdout, sizes);
}

function sum(sizes: Iterable<number>): number {
  let total = 0;
  for (const size of sizes) total += size;
  return total;
}

/** The output of `cat-file --batch`, in the order of the input: `OBJECT blob SIZE<newline>BYTES<newline>`. */
function parseBatch(output: Buffer, sizes: ReadonlyMap<string, number>): Step<{ bytes: Map<string, Uint8Array> }> {
  const bytes = new Map<string, Uint8Array>();
  let start = 0;
  for (const [objectId, size] of sizes) {
    const header = `${objectId} blob ${size}\n`;
    const from = start + header.length;
    if (output.toString('latin1', start, from) !== header || output[from + size] !== 0x0a) {
      return broken(`the object ${objectId} is missing or damaged`);
    }
    bytes.set(objectId, new Uint8Array(output.subarray(from, from + size)));
    start = from + size + 1;
  }
  return { ok: true, bytes };
}

function gitOptions(reading: TreeReading) {
  const { gitDir, environment, signal, limits } = reading;
  return { gitDir, environment, timeoutMs: limits.readTimeoutMs, ...(signal ? { signal } : {}) };
}

function explainRead(outcome: GitOutcome): Exclude<GitTreeResult, { ok: true }> {
  if (outcome.kind === 'timeout') return failed('FetchTimeout', 'Reading the definition tree took too long.');
  if (outcome.kind === 'aborted') return failed('RepositoryUnreachable', 'The source is closed.');
  if (outcome.kind === 'not-started') return failed('RepositoryUnreachable', `${outcome.message}.`);
  return broken('git cannot read the tree');
}

function broken(what: string): { ok: false; reason: 'Broken'; message: string } {
  return { ok: false, reason: 'Broken', message: what };
}

function tooManyEntries(limits: SourceLimits): SourceFailed {
  const message = `The definition paths contain more than ${limits.maxEntries} entries; remove files that are not definitions.`;
  return failed('TreeTooLarge', message);
}

function tooManyBytes(limits: SourceLimits): SourceFailed {
  const message = `The files in the definition paths are larger than ${formatMegabytes(limits.maxTreeBytes)} together; remove files that are not definitions.`;
  return failed('TreeTooLarge', message);
}
