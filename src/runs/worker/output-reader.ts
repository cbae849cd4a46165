import { openLogToRead } from '../executors/log/log-file.ts';
import type { OutputPart } from './worker-api.ts';

/** Well below the limit of a request, also if every character is escaped. */
const PART_BYTES = 128 * 1024;

/** Reads the log of an attempt in parts, while it grows. A part is the same until it was sent. */
export class OutputReader {
  readonly #path: string;
  readonly #decoder = new TextDecoder();
  /** Position in the file. */
  #position = 0;
  #part: OutputPart = { text: '', offset: 0 };

  constructor(path: string) {
    this.#path = path;
  }

  /** The next part; its text is empty if there is no new output. */
  async next(): Promise<OutputPart> {
    if (this.#part.text === '') this.#part = { text: await this.#read(), offset: this.#part.offset };
    return this.#part;
  }

  /**
   * Does the next part contain all output that was not sent, so that the end of the run can contain it? A part that was read
   * while the command was writing does not.
   */
  async isLast(): Promise<boolean> {
    const { text } = await this.next();
    return Buffer.byteLength(text) < PART_BYTES / 2 && this.#position >= (await this.#size());
  }

  /** The part has arrived. */
  confirm(part: OutputPart): void {
    if (part === this.#part) this.#part = { text: '', offset: part.offset + Buffer.byteLength(part.text) };
  }

  async #size(): Promise<number> {
    const file = await openLogToRead(this.#path).catch(() => null);
    if (file === null) return 0;
    try {
      return (await file.stat()).size;
    } finally {
      await file.close();
    }
  }

  async #read(): Promise<string> {
    const file = await openLogToRead(this.#path).catch(() => null);
    if (file === null) return '';
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(PART_BYTES), 0, PART_BYTES, this.#position);
      this.#position += bytesRead;
      return this.#decoder.decode(buffer.subarray(0, bytesRead), { stream: true });
    } finally {
      await file.close();
    }
  }
}
