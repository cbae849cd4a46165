import type { Server, Socket } from 'node:net';
import { pause } from '../../domain/time/backoff.ts';

/** A connection is idle if this number of consecutive checks found no activity. */
const QUIET_LOOKS = 4;
/**
 * The same for a connection that was opened in the last second and has sent no complete request yet: the request is in
 * transit, at the latest after a retransmission. A close would reset it.
 */
const QUIET_LOOKS_OF_NEW = 25;
const NEW_MS = 1_000;

/** What is known of a response: it is closed when it was sent, or when its connection has ended. */
interface SentResponse {
  readonly closed: boolean;
}

/** How the connections of a listener end. */
export interface ConnectionEnd {
  /** Interval of the checks for quiet connections. */
  quietCheckMs: number;
  /** After this time all remaining connections are aborted. */
  graceMs: number;
  /** From its abort on, only `hurriedGraceMs` remain. */
  hurry: AbortSignal;
  hurriedGraceMs: number;
}

interface Connection<Response> {
  /** The last response that was started. Responses leave in order, so all are sent when it is sent. */
  newest: Response | undefined;
  requests: number;
  openedMs: number;
  bytesSeen: number;
  looks: number;
}

/**
 * The open connections of a listener. `closeIdleConnections` of Node is not enough for a clean stop. It keeps
 * connections that never sent a request, and ends connections of busy senders that are between two requests.
 */
export class Connections<Response extends SentResponse> {
  readonly #open = new Map<Socket, Connection<Response>>();
  #closingMs = 0;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, { newest: undefined, requests: 0, openedMs: performance.now(), bytesSeen: 0, looks: 0 });
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  /** Number of open connections. */
  get count(): number {
    return this.#open.size;
  }

  /** Call it for each request. Returns the number of requests on this connection. */
  note(socket: Socket, response: Response): number {
    const connection = this.#open.get(socket);
    if (connection === undefined) return 0;
    connection.newest = response;
    connection.requests += 1;
    return connection.requests;
  }

  /** The last response that was started on a connection. */
  newestOn(socket: Socket): Response | undefined {
    return this.#open.get(socket)?.newest;
  }

  /** Resolves when each connection that is open now has ended, at the latest after `limitMs` or when `hurry` aborts. */
  async untilEnded(limitMs: number, hurry: AbortSignal): Promise<void> {
    const ends = [...this.#open.keys()].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    const ended = new AbortController();
    await Promise.race([Promise.all(ends), pause(limitMs, AbortSignal.any([hurry, ended.signal]))]);
    ended.abort();
  }

  /**
   * Ends quiet connections until the server has closed, and all remaining ones after the grace period.
   *
   * @param closed resolves when no connection remains
   */
  async endWhile(closed: Promise<unknown>, { quietCheckMs, ...grace }: ConnectionEnd): Promise<void> {
    this.#closingMs = performance.now();
    const ended = new AbortController();
    const checks = setInterval(() => this.#closeQuiet(), quietCheckMs);
    void waitForGrace(grace, ended.signal).then(() => this.#destroyAll());
    await closed;
    clearInterval(checks);
    ended.abort();
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
      if (connection.looks >= this.#countNeededLooks(connection)) socket.destroySoon();
    }
  }

  #countNeededLooks({ newest, openedMs }: Connection<Response>): number {
    const isNew = newest === undefined && this.#closingMs - openedMs < NEW_MS;
    return isNew ? QUIET_LOOKS_OF_NEW : QUIET_LOOKS;
  }
}

async function waitForGrace(
  { graceMs, hurry, hurriedGraceMs }: Omit<ConnectionEnd, 'quietCheckMs'>,
  ended: AbortSignal,
): Promise<void> {
  await pause(graceMs, AbortSignal.any([hurry, ended]));
  if (hurry.aborted) await pause(hurriedGraceMs, ended);
}
