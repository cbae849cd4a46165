import { PassThrough, type Readable } from 'node:stream';
import type { NumberedEvent } from '../../domain/ports/event-feed.ts';

/** A reader that is this far behind is disconnected. It reconnects and gets what it missed, or reloads. */
const MAX_BEHIND_BYTES = 1_048_576;
/** Often enough for proxies that close silent connections after 30 s or more. */
const HEARTBEAT_MS = 15_000;
/** After this time, a disconnected client reconnects. */
const RETRY_MS = 3_000;

/** An event as text, or `null` for one that is not for this reader. */
export type PresentEvent = (event: NumberedEvent['event']) => { name: string; data: object } | null;

/**
 * Server-sent events (HTML Standard, "Server-sent events") for one reader. `readable` ends with `end`, and with the
 * reader itself.
 */
export class EventStream {
  readonly #stream = new PassThrough();
  readonly #present: PresentEvent;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(present: PresentEvent) {
    this.#present = present;
    this.#write(`retry: ${RETRY_MS}\n\n`);
    this.#heartbeat = setInterval(() => this.#write(':\n\n'), HEARTBEAT_MS).unref();
    this.#stream.once('close', () => clearInterval(this.#heartbeat));
  }

  get readable(): Readable {
    return this.#stream;
  }

  send({ id, event }: NumberedEvent): void {
    const presented = this.#present(event);
    if (presented !== null) this.#writeEvent(id, presented.name, presented.data);
  }

  /** `ready`: nothing is missing up to this position. `reset`: something is, and what was read before has to be reloaded. */
  mark(name: 'ready' | 'reset', position: string): void {
    this.#writeEvent(position, name, {});
  }

  end(): void {
    this.#stream.end();
  }

  /** JSON contains no line breaks, so it fits in one line of data. */
  #writeEvent(id: string, name: string, data: object): void {
    this.#write(`id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  #write(text: string): void {
    if (this.#stream.writableEnded || this.#stream.destroyed) return;
    if (this.#stream.readableLength + this.#stream.writableLength > MAX_BEHIND_BYTES) this.#stream.destroy();
    else this.#stream.write(text);
  }
}
