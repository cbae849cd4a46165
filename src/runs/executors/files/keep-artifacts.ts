import { constants, createWriteStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '../../../domain/errors.ts';
import { MAX_ARTIFACT_BYTES, MAX_ARTIFACTS_BYTES, type RunOutput } from '../../../domain/runs/run-output.ts';
import { formatSize } from '../../../domain/words/quantities.ts';
import { makeFolder } from '../../../platform/files/make-folder.ts';
import { removeTree } from './remove-run-folder.ts';

/** Sizes in bytes: of one artifact, and of all of an attempt. */
interface ArtifactLimits {
  maxBytes: number;
  maxTotalBytes: number;
}

const LIMITS: ArtifactLimits = { maxBytes: MAX_ARTIFACT_BYTES, maxTotalBytes: MAX_ARTIFACTS_BYTES };

interface KeepOrder {
  /** The directory of the attempt, which the run owns. */
  work: string;
  /** Folder for the copies, which only this process can change. */
  folder: string;
  /** Masks the secrets of the run; `null` if it has none, because masking takes a large part of the time. */
  createMask: (() => Transform) | null;
  limits?: ArtifactLimits;
  /** An artifact is not kept, with the reason. */
  onOmitted(path: string, problem: string): void;
}

/**
 * Copies the artifacts of an attempt that has ended: each to a file with its number, so that no name from the run becomes a
 * path. Never throws: an artifact that cannot be copied does not change how the run ended.
 */
export async function keepArtifacts(artifacts: RunOutput['artifacts'], order: KeepOrder): Promise<void> {
  if (artifacts.length === 0) return;
  const { folder, onOmitted } = order;
  let bytes = 0;
  for (const [index, { path }] of artifacts.entries()) {
    try {
      if (index === 0) await makeEmptyFolder(folder);
      bytes += await copyArtifact(path, join(folder, String(index + 1)), bytes, order);
    } catch (error) {
      onOmitted(path, messageOf(error));
    }
  }
}

async function makeEmptyFolder(folder: string): Promise<void> {
  await removeTree(folder);
  await makeFolder(folder, { mode: 0o700 });
}

/**
 * Resolves with the size of the original.
 *
 * @param taken size of the artifacts that were copied before
 */
async function copyArtifact(path: string, target: string, taken: number, order: KeepOrder): Promise<number> {
  const file = await openInside(order.work, path);
  try {
    const size = await checkSize(file, taken, order.limits ?? LIMITS);
    await copyBytes(file, size, target, order.createMask);
    return size;
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** A second name can be that of a file which the user of the run cannot read. */
async function checkSize(file: FileHandle, taken: number, limits: ArtifactLimits): Promise<number> {
  const { maxBytes, maxTotalBytes } = limits;
  const stats = await file.stat();
  if (!stats.isFile() || stats.nlink !== 1) throw new Error('it is not a regular file with one name');
  if (stats.size > maxBytes) throw new Error(`it is larger than ${formatSize(maxBytes)}`);
  if (stats.size + taken > maxTotalBytes) {
    throw new Error(`the artifacts are larger than ${formatSize(maxTotalBytes)} together`);
  }
  return stats.size;
}

/** A process that outlived the run can still write to the file, so only the bytes that were counted are copied. */
async function copyBytes(
  file: FileHandle,
  size: number,
  target: string,
  createMask: KeepOrder['createMask'],
): Promise<void> {
  const copy = createWriteStream(target, { flags: 'wx', mode: 0o600 });
  if (size === 0) return pipeline([], copy);
  const original = file.createReadStream({ start: 0, end: size - 1, autoClose: false });
  await (createMask === null ? pipeline(original, copy) : pipeline(original, createMask(), copy));
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Opens a file below a folder that a run can change at any time. No component of the path is followed as a symbolic link. On
 * Linux, each folder is opened below the one before, so a folder that is replaced meanwhile makes no difference.
 *
 * @param path relative, without `.` and `..`
 */
export async function openInside(folder: string, path: string): Promise<FileHandle> {
  const parts = path.split('/');
  const name = parts.pop()!;
  let place = folder;
  const opened: FileHandle[] = [];
  try {
    for (const part of ['', ...parts]) {
      const handle = await open(join(place, part), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      opened.push(handle);
      place = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : join(place, part);
    }
    // A pipe without a writer must not block the caller.
    return await open(join(place, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } finally {
    for (const handle of opened) await handle.close();
  }
}
