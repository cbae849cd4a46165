import type { Server, Socket } from 'node:net';

/** A connection is idle if this number of consecutive checks found no activity. */
const QUIET_LOOKS = 4;

/** What is known of a response: it is closed when it was sent, or when its connection has ended. */
interface SentResponse {
  readonly closed: boolean;
}

interface Connection<Response> {
  /** The last response that was started. Responses leave in order, so all are sent when it is sent. */
  newest: Response | undefined;
  bytesSeen: number;
  looks: number;
}

/**
 * The open connections of a listener. `closeIdleConnections` of Node is not enough for a clean stop. It keeps
 * connections that never sent a request, and ends connections of busy senders that are between two requests.
 */
export class Connections<Response extends SentResponse> {
  readonly #open = new Map<Socket, Connection<Response>>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, { newest: undefined, bytesSeen: 0, looks: 0 });
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  /** Call it for each request. */
  note(socket: Socket, response: Response): void {
    const connection = this.#open.get(socket);
    if (connection !== undefined) connection.newest = response;
  }

  /** The last response that was started on a connection. */
  newestOn(socket: Socket): Response | undefined {
    return this.#open.get(socket)?.newest;
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
      const isAnswered = connection.newest === undefined || connection.newest.closed;
      const isQuiet = isAnswered && socket.bytesRead === connection.bytesSeen;
      connection.looks = isQuiet ? connection.looks + 1 : 0;
      connection.bytesSeen = socket.bytesRead;
      if (connection.looks >= QUIET_LOOKS) socket.destroySoon();
    }
  }
}
