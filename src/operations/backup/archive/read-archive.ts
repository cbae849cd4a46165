import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { AppError, messageOf } from '../../../domain/errors.ts';
import { isRestorable, LAYOUT } from './backup-layout.ts';
import { type Manifest, parseManifest } from './manifest.ts';
import { BLOCK_BYTES, countPadding, readTarHeader, type TarFile } from './tar-header.ts';
import { formatChecksum } from './write-archive.ts';

const PIECE_BYTES = 256 * 1024;
/** The manifest and the digests are read as a whole. */
const MAX_MANIFEST_BYTES = 64 * 1024;
const MAX_CHECKSUM_BYTES = 256 * 1024 * 1024;

/** Receives the content of one file. */
export interface FileSink {
  write(piece: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

interface ArchiveReader {
  /** Called before the first file, with what the backup is. May throw to end the reading. */
  onManifest(manifest: Manifest): void;
  /** Called for each file of the data directory, in the order of the archive; `null` only checks the content. */
  openSink(name: string): Promise<FileSink | null>;
  onProgress(doneBytes: number, totalBytes: number): void;
}

/** What an archive contains. */
export interface ArchiveContent {
  manifest: Manifest;
  files: number;
  bytes: number;
}

/**
 * Reads a backup from its first to its last byte and compares the digest of each file. Nothing in the archive is trusted:
 * only regular files with names of the layout are accepted, each once. Throws `bad_request` if the file is not a complete
 * backup; a sink may then have received files that are wrong.
 */
export async function readArchive(path: string, reader: ArchiveReader): Promise<ArchiveContent> {
  const file = await open(path, 'r').catch((cause) => {
    throw new AppError('bad_request', `${path} cannot be read: ${messageOf(cause)}`, { cause });
  });
  try {
    return await new ArchiveReading(file, (await file.stat()).size, reader).read();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const message = `${path} is not a complete backup of Dockbell: ${messageOf(cause)}`;
    throw new AppError('bad_request', message, { cause });
  } finally {
    await file.close();
  }
}

class ArchiveReading {
  readonly #file: FileHandle;
  readonly #totalBytes: number;
  readonly #reader: ArchiveReader;
  readonly #digests = new Map<string, string>();
  #at = 0;

  constructor(file: FileHandle, totalBytes: number, reader: ArchiveReader) {
    this.#file = file;
    this.#totalBytes = totalBytes;
    this.#reader = reader;
  }

  async read(): Promise<ArchiveContent> {
    const manifest = await this.#readManifest();
    this.#reader.onManifest(manifest);
    let found = await this.#readHeader();
    for (; found !== null && found.name !== LAYOUT.checksums; found = await this.#readHeader()) {
      if (!isRestorable(found.name)) throw new Error(`${JSON.stringify(found.name)} is not a file of a backup`);
      await this.#readFile(found, await this.#reader.openSink(found.name));
    }
    if (found === null) throw new Error(`${LAYOUT.checksums} is missing`);
    await this.#compareDigests(found);
    this.#requireContent(manifest);
    return { manifest, files: this.#digests.size - 1, bytes: this.#totalBytes };
  }

  async #readManifest(): Promise<Manifest> {
    const first = await this.#readHeader();
    if (first?.name !== LAYOUT.manifest) throw new Error(`the first file is not ${LAYOUT.manifest}`);
    return parseManifest(await this.#readText(first, MAX_MANIFEST_BYTES));
  }

  async #compareDigests(checksums: TarFile): Promise<void> {
    const lines = [...this.#digests].map(([name, digest]) => formatChecksum(digest, name));
    const written = await this.#readText(checksums, MAX_CHECKSUM_BYTES);
    if (written !== lines.join('')) throw new Error(`the digests in ${LAYOUT.checksums} are not those of the files`);
    if ((await this.#readHeader()) !== null) throw new Error(`a file follows ${LAYOUT.checksums}`);
  }

  #requireContent(manifest: Manifest): void {
    if (!this.#digests.has(LAYOUT.database)) throw new Error(`${LAYOUT.database} is missing`);
    if (manifest.hasMasterKey !== this.#digests.has(LAYOUT.masterKey))
      throw new Error(`the manifest is wrong about ${LAYOUT.masterKey}`);
  }

  async #readHeader(): Promise<TarFile | null> {
    const header = readTarHeader(await this.#readPiece(BLOCK_BYTES));
    if (header === null) return null;
    if (this.#digests.has(header.name)) throw new Error(`${JSON.stringify(header.name)} is there twice`);
    if (header.size > this.#totalBytes - this.#at) throw new Error('the archive is cut off');
    return header;
  }

  async #readText(found: TarFile, maxBytes: number): Promise<string> {
    if (found.size > maxBytes) throw new Error(`${found.name} is too large`);
    const pieces: Uint8Array[] = [];
    await this.#readFile(found, { write: async (piece) => void pieces.push(piece), end: async () => {} });
    return Buffer.concat(pieces).toString('utf8');
  }

  /** The sink is ended also after a failure, so that nothing stays open. */
  async #readFile({ name, size }: TarFile, sink: FileSink | null): Promise<void> {
    const digest = createHash('sha256');
    try {
      for (let left = size; left > 0; ) {
        const piece = await this.#readPiece(Math.min(PIECE_BYTES, left));
        left -= piece.length;
        digest.update(piece);
        await sink?.write(piece);
        this.#reader.onProgress(this.#at, this.#totalBytes);
      }
    } finally {
      await sink?.end();
    }
    if (size > 0) await this.#readPiece(countPadding(size));
    if (name !== LAYOUT.checksums) this.#digests.set(name, digest.digest('hex'));
  }

  async #readPiece(length: number): Promise<Buffer> {
    const piece = Buffer.allocUnsafe(length);
    for (let filled = 0; filled < length; ) {
      const { bytesRead } = await this.#file.read(piece, filled, length - filled, this.#at);
      if (bytesRead === 0) throw new Error('the archive is cut off');
      filled += bytesRead;
      this.#at += bytesRead;
    }
    return piece;
  }
}
