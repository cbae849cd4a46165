import {
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
} from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isAgentPath, MAX_AGENT_BYTES, MAX_AGENT_FILES } from '../../domain/definitions/agent-files.ts';
import {
  createFileEntry,
  MAX_DEFINITION_BYTES,
  type SourceTree,
  type TreeEntry,
  type UnusableEntry,
} from '../../domain/definitions/source-tree.ts';
import type { SourceFailed, SourceResult } from '../../domain/ports/sources.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { runGit } from './git-process.ts';
import { readCommittedTree, type TreeReading } from './git-tree.ts';
import { findWorkTreeRoot, realPathOf, resolveLocalRepository } from './local-repository.ts';
import { hasUnprintable, quote } from './printable-text.ts';
import { DEFAULT_LIMITS, failed, formatMegabytes, type SourceLimits } from './source-limits.ts';
import { hasDefinitionFolders, keepPlainNames, READ_PATHS, readTreePath } from './tree-names.ts';

/** Bounds, and for `readRevisionTree` the environment git runs in; both have defaults that fit a command line. */
interface DirectoryOptions {
  limits?: Partial<SourceLimits>;
  environment?: Environment;
  /** What the walk before found: only files that may have changed since are read. */
  earlier?: WalkedFolder;
}

/** What a walk found, for the next one. */
export interface WalkedFolder {
  /** The files by their paths, with what shows whether they changed. */
  files: Map<string, WalkedFile>;
  /** Paths of the folders that were read. */
  folders: Set<string>;
}

interface WalkedFile {
  stamp: FileStamp;
  entry: TreeEntry;
}

/** Two stamps of a file are the same only if its content is. */
type FileStamp = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs' | 'ctimeNs'>;

type Walked = { ok: true } | SourceFailed;

/** The state of a walk: what it has found, and its limits. */
interface Walk {
  root: string;
  limits: SourceLimits;
  prefix: string;
  entries: TreeEntry[];
  unusable: UnusableEntry[];
  totalBytes: number;
  /** Entries in the folders of agent files, and the bytes that were read of them. They do not count as definition files. */
  agentEntries: number;
  agentBytes: number;
  earlier: ReadonlyMap<string, WalkedFile>;
  walked: WalkedFolder;
}

/**
 * Reads the definition paths of a folder on disk, without following links. `root` is the root of the repository that
 * contains the folder, or the folder itself; `tree.prefix` leads from `root` to the folder.
 */
export async function readDirectoryTree(
  dir: string,
  options: DirectoryOptions = {},
): Promise<SourceResult<{ tree: SourceTree; root: string; walked: WalkedFolder }>> {
  const place = await findPlace(dir);
  if (!place.ok) return place;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { folder, prefix } = place;
  const walk = beginWalk({ folder, prefix }, limits, options.earlier);
  // By the names that the folder lists: a file system that ignores case would find one folder under each spelling.
  const listed = attempt(() => listFolder(place.folder));
  if (!listed.ok) return failed('RepositoryRefused', `The folder ${quote(dir)} cannot be read; check its permissions.`);
  const found = READ_PATHS.flatMap((path) => listed.value.filter(({ name }) => name.toString('latin1') === path));
  const walked = await walkAll(
    walk,
    found.map((dirent) => ({ pathBytes: dirent.name, dirent })),
  );
  if (!walked.ok) return walked;
  const { entries, unusable } = walk;
  const folders = listed.value.filter((dirent) => dirent.isDirectory()).map(({ name }) => name.toString('utf8'));
  const tree = {
    prefix,
    entries,
    ...(unusable.length === 0 ? {} : { unusable }),
    ...(hasDefinitionFolders(entries) ? {} : { otherFolders: keepPlainNames(folders) }),
  };
  return { ok: true, tree, root: place.root, walked: walk.walked };
}

/**
 * Reads some paths of a folder, each with everything below it. A path that does not exist has no entries. Returns `null` if
 * only a walk of the whole folder can answer.
 *
 * @param paths relative to the folder, none below another one
 */
export async function readPaths(
  dir: string,
  paths: readonly string[],
): Promise<{ entries: TreeEntry[]; walked: WalkedFolder } | null> {
  const place = await findPlace(dir);
  if (!place.ok) return null;
  const walk = beginWalk(place, DEFAULT_LIMITS);
  const listed: ListedPath[] = [];
  for (const path of paths) {
    if (!isInFolders(place.folder, path)) return null;
    const found = attempt(() => lstatSync(join(place.folder, path)));
    if (found.ok) listed.push({ pathBytes: Buffer.from(path), dirent: found.value });
    else if (!found.isMissing) return null;
  }
  const walked = await walkAll(walk, listed);
  return walked.ok && walk.unusable.length === 0 ? { entries: walk.entries, walked: walk.walked } : null;
}

/** A path below a link would lead out of the folder. */
function isInFolders(root: string, path: string): boolean {
  const names = path.split('/').slice(0, -1);
  return names.every((_, index) => {
    const folder = attempt(() => lstatSync(join(root, ...names.slice(0, index + 1))));
    return folder.ok && folder.value.isDirectory();
  });
}

function beginWalk(
  { folder, prefix }: Pick<Place, 'folder' | 'prefix'>,
  limits: SourceLimits,
  earlier?: WalkedFolder,
): Walk {
  return {
    root: folder,
    prefix,
    limits,
    entries: [],
    unusable: [],
    totalBytes: 0,
    agentEntries: 0,
    agentBytes: 0,
    earlier: earlier?.files ?? new Map(),
    walked: { files: new Map(), folders: new Set() },
  };
}

/** The full commit ID of `rev`, anything that git understands, in the repository that contains a folder. */
export async function resolveLocalRevision(
  dir: string,
  rev: string,
  options: DirectoryOptions = {},
): Promise<SourceResult<{ revision: string }>> {
  const opened = await openRevision(dir, rev, options);
  return opened.ok ? { ok: true, revision: opened.revision } : opened;
}

/** Reads the definition paths of a folder at a commit; `rev` is anything that git understands as a commit. */
export async function readRevisionTree(
  dir: string,
  rev: string,
  options: DirectoryOptions = {},
): Promise<SourceResult<{ tree: SourceTree; root: string; revision: string }>> {
  const opened = await openRevision(dir, rev, options);
  if (!opened.ok) return opened;
  const { place, reading, revision } = opened;
  const read = await readCommittedTree(reading, revision, place.prefix);
  if (read.ok) return { ...read, root: place.root, revision };
  if (read.reason !== 'Broken') return { ...read, reason: read.reason };
  return failed('RepositoryUnreachable', `The tree of ${quote(rev)} cannot be read: ${read.message}.`);
}

interface OpenedRevision {
  place: Place;
  reading: TreeReading;
  revision: string;
}

async function openRevision(
  dir: string,
  rev: string,
  options: DirectoryOptions,
): Promise<({ ok: true } & OpenedRevision) | SourceFailed> {
  const place = await findPlace(dir);
  if (!place.ok) return place;
  const repository = await resolveLocalRepository(place.root);
  if (repository === null) return failed('RepositoryMissing', `${quote(dir)} is not in a git repository.`);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const reading = { runGit, gitDir: repository.gitDir, environment: options.environment ?? process.env, limits };
  const resolved = await resolveRevision(reading, rev);
  return resolved.ok ? { ok: true, place, reading, revision: resolved.revision } : resolved;
}

async function resolveRevision(
  reading: TreeReading,
  rev: string,
): Promise<{ ok: true; revision: string } | SourceFailed> {
  if (rev === '' || rev.startsWith('-') || hasUnprintable(rev)) {
    return failed('RepositoryRefused', `${quote(rev)} is not a revision; use a branch, a tag or a commit.`);
  }
  const outcome = await runGit({
    gitDir: reading.gitDir,
    environment: reading.environment,
    args: ['rev-parse', '--verify', '--quiet', `${rev}^{commit}`],
    timeoutMs: reading.limits.readTimeoutMs,
    maxOutputBytes: 4096,
  });
  if (outcome.kind === 'not-started') return failed('RepositoryUnreachable', `${outcome.message}.`);
  const revision = outcome.kind === 'exited' && outcome.code === 0 ? outcome.stdout.toString('latin1').trim() : '';
  if (!/^[0-9a-f]{40,64}$/.test(revision))
    return failed('BranchMissing', `The repository has no commit ${quote(rev)}.`);
  return { ok: true, revision };
}

/** The place of a folder: `root` and `prefix` as in `readDirectoryTree`. */
interface Place {
  folder: string;
  root: string;
  prefix: string;
}

async function findPlace(dir: string): Promise<({ ok: true } & Place) | SourceFailed> {
  const folder = await realPathOf(dir);
  const found = await lstat(folder).catch(() => null);
  if (found === null) return failed('RepositoryMissing', `The folder ${quote(dir)} does not exist.`);
  if (!found.isDirectory()) return failed('RepositoryMissing', `${quote(dir)} is not a folder.`);
  const root = (await findWorkTreeRoot(folder)) ?? folder;
  const path = relative(root, folder);
  return { ok: true, folder, root, prefix: path === '' ? '' : `${path.split(sep).join('/')}/` };
}

/** Number of paths that are read before other work of the process can continue. */
const PATHS_A_TURN = 64;

/** An entry of a folder, with its path in bytes, relative to the factory's folder. */
interface ListedPath {
  pathBytes: Buffer;
  dirent: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>;
}

/**
 * Reads some paths and everything below them, in order. Uses the synchronous calls in short turns: a file needs five calls,
 * and the thread pool adds more time to each of them than it takes.
 */
async function walkAll(walk: Walk, paths: readonly ListedPath[]): Promise<Walked> {
  const open = paths.toReversed();
  for (let taken = 1; open.length > 0; taken++) {
    const walked = visitPath(walk, open.pop()!);
    if (!walked.ok) return walked;
    for (const path of walked.below.reverse()) open.push(path);
    if (taken % PATHS_A_TURN === 0) await nextTurn();
  }
  return { ok: true };
}

/** The paths to visit next, in the order of their names. */
type Visited = { ok: true; below: ListedPath[] } | SourceFailed;

function visitPath(walk: Walk, { pathBytes, dirent }: ListedPath): Visited {
  const name = readTreePath(pathBytes);
  const isOfAgent = isAgentPath(pathBytes.toString('latin1'));
  if (isOfAgent && walk.agentEntries > MAX_AGENT_FILES) return { ok: true, below: [] };
  if (!name.ok) return addUnusable(walk, name.unusable, isOfAgent);
  const { path } = name;
  const full = join(walk.root, path);
  if (dirent.isSymbolicLink()) return addLink(walk, path, full);
  if (dirent.isFile()) return addFile(walk, path, full);
  if (!dirent.isDirectory()) {
    const message = `${quote(path)} is neither a file nor a folder; remove it.`;
    return addUnusable(walk, { file: path, message }, isOfAgent);
  }
  return visitFolder(walk, path, full);
}

function visitFolder(walk: Walk, path: string, full: string): Visited {
  const listed = attempt(() => listFolder(full));
  if (!listed.ok) return passOver('folder', path, listed);
  walk.walked.folders.add(path);
  // git lists a repository inside a repository as a submodule and does not read it.
  if (listed.value.some(({ name }) => name.toString() === '.git')) {
    return addEntry(walk, { path, kind: 'submodule', size: 0, ...UNREAD });
  }
  const folder = Buffer.from(`${path}/`);
  const sorted = listed.value.sort((a, b) => Buffer.compare(a.name, b.name));
  return { ok: true, below: sorted.map((dirent) => ({ pathBytes: Buffer.concat([folder, dirent.name]), dirent })) };
}

function listFolder(full: string): Dirent<Buffer>[] {
  return readdirSync(full, { encoding: 'buffer', withFileTypes: true });
}

function addLink(walk: Walk, path: string, full: string): Visited {
  const found = attempt(() => lstatSync(full));
  if (!found.ok) return passOver('link', path, found);
  return addEntry(walk, { path, kind: 'symlink', size: found.value.size, ...UNREAD });
}

// Does not open a link or a pipe that replaced the file since its folder was listed.
const OPEN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function addFile(walk: Walk, path: string, full: string): Visited {
  const known = findUnchanged(walk, path, full);
  return known === null ? readFile(walk, path, full) : addKnown(walk, path, known);
}

/** The file as the walk before found it; `null` if it may have changed. */
function findUnchanged({ earlier }: Walk, path: string, full: string): WalkedFile | null {
  const before = earlier.get(path);
  if (before === undefined) return null;
  const found = attempt(() => lstatSync(full, { bigint: true }));
  return found.ok && isSameStamp(found.value, before.stamp) ? before : null;
}

function isSameStamp(one: FileStamp, other: FileStamp): boolean {
  return (
    one.ino === other.ino &&
    one.size === other.size &&
    one.mtimeNs === other.mtimeNs &&
    one.ctimeNs === other.ctimeNs &&
    one.dev === other.dev
  );
}

function addKnown(walk: Walk, path: string, known: WalkedFile): Visited {
  const { entry } = known;
  walk.walked.files.set(path, known);
  return countBytes(walk, path, entry.bytes?.length ?? 0) ?? addEntry(walk, entry);
}

function readFile(walk: Walk, path: string, full: string): Visited {
  const opened = attempt(() => openSync(full, OPEN_FILE));
  if (!opened.ok) return passOver('file', path, opened);
  try {
    return addOpenFile(walk, path, opened.value);
  } finally {
    closeSync(opened.value);
  }
}

function addOpenFile(walk: Walk, path: string, fd: number): Visited {
  const stamp = fstatSync(fd, { bigint: true });
  const size = Number(stamp.size);
  if (size > MAX_DEFINITION_BYTES || isOverAgentBytes(walk, path)) {
    return addEntry(walk, { path, kind: 'file', size, ...UNREAD, digest: `${size} bytes` });
  }
  const tooLarge = countBytes(walk, path, size);
  if (tooLarge !== null) return tooLarge;
  const content = attempt(() => readFileSync(fd));
  if (!content.ok) return passOver('file', path, content);
  const entry = createFileEntry(path, new Uint8Array(content.value));
  if (isSettled(stamp)) walk.walked.files.set(path, { stamp, entry });
  return addEntry(walk, entry);
}

/** Clocks of file systems are coarse: a file that is younger can change again without another stamp. */
const SETTLED_MS = 100;

function isSettled({ mtimeNs, ctimeNs }: FileStamp): boolean {
  const changedNs = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  return Date.now() - Number(changedNs / 1_000_000n) > SETTLED_MS;
}

/** Runs do not get any further file, so its content does not matter. */
function isOverAgentBytes({ agentBytes }: Walk, path: string): boolean {
  return agentBytes > MAX_AGENT_BYTES && isAgentPath(path);
}

/** The failure if the files together are larger than the limit. */
function countBytes(walk: Walk, path: string, size: number): SourceFailed | null {
  if (isAgentPath(path)) {
    walk.agentBytes += size;
    return null;
  }
  walk.totalBytes += size;
  if (walk.totalBytes <= walk.limits.maxTreeBytes) return null;
  const most = formatMegabytes(walk.limits.maxTreeBytes);
  return failed(
    'TreeTooLarge',
    `The files in the definition paths are larger than ${most} together; remove files that are not definitions.`,
  );
}

/** Nothing in the definition depends on the content of such an entry, so its digest does not describe the content. */
const UNREAD = { digest: '', content: 'unread', bytes: null } as const;

function addEntry(walk: Walk, entry: TreeEntry): Visited {
  walk.entries.push(entry);
  if (isAgentPath(entry.path)) walk.agentEntries += 1;
  return checkEntries(walk);
}

function addUnusable(walk: Walk, { file, message }: UnusableEntry, isOfAgent: boolean): Visited {
  const entry = { file: walk.prefix + file, message };
  walk.unusable.push(isOfAgent ? { ...entry, isIgnored: true } : entry);
  if (isOfAgent) walk.agentEntries += 1;
  return checkEntries(walk);
}

function checkEntries(walk: Walk): Visited {
  if (walk.entries.length + walk.unusable.length - walk.agentEntries <= walk.limits.maxEntries)
    return { ok: true, below: [] };
  const most = walk.limits.maxEntries;
  return failed(
    'TreeTooLarge',
    `The definition paths contain more than ${most} entries; remove files that are not definitions.`,
  );
}

type Attempt<T> = { ok: true; value: T } | { ok: false; isMissing: boolean };

function attempt<T>(read: () => T): Attempt<T> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    return { ok: false, isMissing: (error as NodeJS.ErrnoException).code === 'ENOENT' };
  }
}

/** Ignores an entry that was deleted since its folder was listed: editors create and delete such files. */
function passOver(what: 'file' | 'folder' | 'link', path: string, { isMissing }: { isMissing: boolean }): Visited {
  if (isMissing) return { ok: true, below: [] };
  return failed('RepositoryRefused', `The ${what} ${quote(path)} cannot be read; check its permissions.`);
}
