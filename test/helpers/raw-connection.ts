import { connect, type Socket } from 'node:net';
import { eventually } from './eventually.ts';

/** The exact bytes of one response, every byte one character (Latin-1). */
export interface RawAnswer {
  status: number;
  /** Status line and header lines, without the empty line that ends them. */
  head: string;
  body: string;
}

/** A TCP connection that sends exactly the given bytes, and reads responses in order. */
export class RawConnection {
  readonly socket: Socket;
  #received = '';
  #isClosed = false;
  #failure: Error | null = null;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text;
    });
    // A reset connection counts as closed. Data that arrived before is kept.
    socket
      .on('error', (error) => {
        this.#failure = error;
      })
      .on('close', () => {
        this.#isClosed = true;
      });
  }

  static async open(port: number): Promise<RawConnection> {
    const connection = new RawConnection(connect({ port, host: '127.0.0.1', noDelay: true }));
    await eventually(() => !connection.socket.connecting);
    return connection;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The error of the connection; `null` if it was closed cleanly. */
  get failure(): Error | null {
    return this.#failure;
  }

  /** Received data that is not part of a response yet. */
  get received(): string {
    return this.#received;
  }

  /** Texts are sent as Latin-1. */
  send(bytes: string | Uint8Array): this {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    return this;
  }

  /** The next response with a `Content-Length`; `null` if the connection was closed without one. */
  async readAnswer(method = 'POST'): Promise<RawAnswer | null> {
    return eventually(() => {
      const answer = this.#takeAnswer(method !== 'HEAD');
      return answer !== null ? { answer } : this.#isClosed && { answer: null };
    }).then(({ answer }) => answer);
  }

  async closed(timeoutMs?: number): Promise<void> {
    await eventually(() => this.#isClosed, timeoutMs);
  }

  destroy(): void {
    this.socket.destroy();
  }

  #takeAnswer(hasBody: boolean): RawAnswer | null {
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return null;
    const head = this.#received.slice(0, headEnd);
    const length = /^content-length: (\d+)$/im.exec(head)?.[1];
    const bodyEnd = headEnd + 4 + (hasBody ? Number(length ?? 0) : 0);
    if (this.#received.length < bodyEnd) return null;
    const body = this.#received.slice(headEnd + 4, bodyEnd);
    this.#received = this.#received.slice(bodyEnd);
    return { status: Number(head.slice(9, 12)), head, body };
  }
}

/** Header lines without the one that changes with time. */
export function withoutDate(answer: RawAnswer | null): RawAnswer | null {
  return answer && { ...answer, head: answer.head.replace(/\r\nDate: [^\r]*/i, '') };
}
