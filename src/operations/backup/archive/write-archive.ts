import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { AppError } from '../../../domain/errors.ts';
import { LAYOUT } from './backup-layout.ts';
import { BLOCK_BYTES, countPadding, writeTarHeader } from './tar-header.ts';

/** A file of the archive: bytes, or the first `size` bytes of a file that may grow. */
export interface ArchiveEntry {
  name: string;
  size: number;
  content: { bytes: Uint8Array } | { path: string };
}

const PIECE_BYTES = 256 * 1024;
/** Two blocks of zeros end an archive. */
const END = Buffer.alloc(2 * BLOCK_BYTES);
const DIGEST_CHARACTERS = 64;

/** Size of the archive that `writeArchive` writes. */
export function measureArchive(entries: readonly ArchiveEntry[]): number {
  const sizes = [...entries.map(({ size }) => size), measureChecksums(entries)];
  return sizes.reduce((sum, size) => sum + BLOCK_BYTES + size + countPadding(size), END.length);
}

/** The bytes of a tar archive with these files, and the digests of all of them as the last file. */
export async function* writeArchive(entries: readonly ArchiveEntry[], modifiedAtMs: number): AsyncGenerator<Buffer> {
  const lines: string[] = [];
  for (const entry of entries) {
    const digest = createHash('sha256');
    yield writeTarHeader(entry, modifiedAtMs);
    for await (const piece of readContent(entry)) {
      digest.update(piece);
      yield piece;
    }
    yield Buffer.alloc(countPadding(entry.size));
    lines.push(formatChecksum(digest.digest('hex'), entry.name));
  }
  const checksums = Buffer.from(lines.join(''));
  yield writeTarHeader({ name: LAYOUT.checksums, size: checksums.length }, modifiedAtMs);
  yield Buffer.concat([checksums, Buffer.alloc(countPadding(checksums.length)), END]);
}

/** A line as `sha256sum` writes it. */
export function formatChecksum(digest: string, name: string): string {
  return `${digest}  ${name}\n`;
}

function measureChecksums(entries: readonly ArchiveEntry[]): number {
  return entries.reduce((sum, { name }) => sum + DIGEST_CHARACTERS + 3 + Buffer.byteLength(name), 0);
}

async function* readContent({ name, size, content }: ArchiveEntry): AsyncGenerator<Buffer> {
  if ('bytes' in content) {
    yield Buffer.from(content.bytes);
    return;
  }
  const file = await open(content.path, 'r');
  try {
    for (let at = 0; at < size; ) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size - at));
      const { bytesRead } = await file.read(piece, 0, piece.length, at);
      if (bytesRead === 0) throw new AppError('storage_unavailable', `${name} became shorter while it was read`);
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
