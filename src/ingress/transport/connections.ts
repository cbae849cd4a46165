import type { EventEmitter } from 'node:events';
import type { Server, Socket } from 'node:net';

/** A connection is idle if this number of consecutive checks found no activity. */
const QUIET_LOOKS = 4;

interface Connection {
  /** Requests without a complete answer. */
  requests: number;
  bytesSeen: number;
  looks: number;
}

/**
 * The open connections of a listener. `closeIdleConnections` of Node is not enough for a clean stop. It keeps
 * connections that never sent a request, and ends connections of busy senders that are between two requests.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, { requests: 0, bytesSeen: 0, looks: 0 });
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  /** Call it for each request. `response` emits `close` when its answer is sent. */
  note(socket: Socket, response: EventEmitter): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.requests += 1;
    response.once('close', () => {
      connection.requests -= 1;
    });
  }

  /**
   * Ends quiet connections until the server has closed, and all remaining ones after `graceMs`.
   *
   * @param closed resolves when no connection remains
   * @param quietCheckMs interval of the checks for quiet connections
   */
  async endWhile(closed: Promise<unknown>, { quietCheckMs, graceMs }: { quietCheckMs: number; graceMs: number }) {
    const checks = setInterval(() => this.#closeQuiet(), quietCheckMs);
    const grace = setTimeout(() => this.#destroyAll(), graceMs);
    await closed;
    clearInterval(checks);
    clearTimeout(grace);
  }

  #destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  /**
   * Ends the connections without activity during several calls. Counts calls instead of time, so that a blocked process
   * does not treat its own pause as inactivity of the senders.
   */
  #closeQuiet(): void {
    for (const [socket, connection] of this.#open) {
      const isQuiet = connection.requests === 0 && socket.bytesRead === connection.bytesSeen;
      connection.looks = isQuiet ? connection.looks + 1 : 0;
      connection.bytesSeen = socket.bytesRead;
      if (connection.looks >= QUIET_LOOKS) socket.destroySoon();
    }
  }
}
