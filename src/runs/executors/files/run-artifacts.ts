import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, systemErrorCode } from '../../../domain/errors.ts';
import type { ArtifactOwner, ArtifactPart, RunArtifacts } from '../../../domain/ports/run-files.ts';
import { MAX_ARTIFACTS_BYTES } from '../../../domain/runs/run-output.ts';
import { formatSize } from '../../../domain/words/quantities.ts';
import { makeFolder } from '../../../platform/files/make-folder.ts';
import { artifactsFolder, listNames } from './run-paths.ts';

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;

/** The end of the name of a file that is not complete. */
const PART = '.part';

/** The artifacts in the folders of runs. Throws `bad_request` for a malformed run ID. */
export function createRunArtifacts(runsDir: string): RunArtifacts {
  const folderOf = ({ run, attempt }: ArtifactOwner) => artifactsFolder(runsDir, run, attempt);
  return {
    sizes: async (owner) => {
      const sizes = await measureFiles(folderOf(owner));
      return new Map(
        [...sizes].flatMap(([name, size]) => (name.endsWith(PART) ? [] : [[Number(name), size] as const])),
      );
    },
    open: async (owner, number) => {
      const path = join(folderOf(owner), String(number));
      if ((await sizeOf(path)) === null) return null;
      const file = await open(path, O_RDONLY | O_NOFOLLOW);
      const { size } = await file.stat();
      return { size, content: file.createReadStream({ highWaterMark: ARTIFACT_PART_BYTES }) };
    },
    store: (owner, part) => storePart(folderOf(owner), part),
  };
}

/** Largest part that a worker sends. In base64, it fits into a request. */
const ARTIFACT_PART_BYTES = 524_288;

async function storePart(folder: string, { number, size, offset, bytes }: ArtifactPart): Promise<void> {
  const path = join(folder, String(number));
  // A worker that received no response repeats the last part.
  if ((await sizeOf(path)) === size) return;
  await makeFolder(folder, { mode: 0o700 });
  await requireRoom(folder, number, size);
  const file = await open(`${path}${PART}`, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    await writeAt(file, offset, bytes);
  } finally {
    await file.close();
  }
  if (offset + bytes.byteLength === size) await rename(`${path}${PART}`, path);
}

async function writeAt(file: FileHandle, offset: number, bytes: Uint8Array): Promise<void> {
  const { size: stored } = await file.stat();
  if (offset > stored) throw new AppError('bad_request', `Send the part at offset ${stored} first.`);
  await file.truncate(offset);
  await file.writeFile(bytes);
}

async function requireRoom(folder: string, number: number, size: number): Promise<void> {
  const others = [...(await measureFiles(folder))].filter(([name]) => Number.parseInt(name, 10) !== number);
  const bytes = others.reduce((sum, [, other]) => sum + other, size);
  if (bytes <= MAX_ARTIFACTS_BYTES) return;
  throw new AppError(
    'bad_request',
    `The artifacts of an attempt can have at most ${formatSize(MAX_ARTIFACTS_BYTES)} together.`,
  );
}

async function measureFiles(folder: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const name of await listNames(folder)) {
    const size = await sizeOf(join(folder, name));
    if (size !== null) sizes.set(name, size);
  }
  return sizes;
}

/** `null` if no such file exists. */
async function sizeOf(path: string): Promise<number | null> {
  try {
    const stats = await lstat(path);
    return stats.isFile() ? stats.size : null;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
