// The listener, and the only file that knows `node:http`. In: connections of untrusted senders. Out: an `IngressRequest` for
// `ingress/handle-delivery.ts`, and its answer on the wire. Each limit has a file: `connections.ts` for connections,
// `check-framing.ts` for HTTP, `read-body.ts` for bytes. `answers.ts` lists all answers, `probes.ts` answers health checks.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { FindClientAddress } from '../../domain/network/client-address.ts';
import { DISCONNECTED, type Outcome } from '../ingress-context.ts';
import type { IngressRequest } from '../reception.ts';
import type { IngressAnswer } from './answers.ts';
import { checkFraming } from './check-framing.ts';
import { type ConnectionEnd, Connections } from './connections.ts';
import { HttpRequest } from './http-request.ts';
import type { AnswerProbe } from './probes.ts';
import { BytesInFlight } from './read-body.ts';

/**
 * Limits for slow, idle and endless connections (threat model N2). Node's defaults are too generous for a public
 * listener.
 */
const DEFAULT_BOUNDS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  /** Announced to senders. Those that follow it never use a connection that the server is about to close. */
  keepAliveTimeout: 5_000,
  /**
   * Time for which an idle connection stays open after the announced one. Many senders and proxies ignore the announced time
   * and use a connection that was idle for a minute, some for ten minutes. A close by the server can cross such a request.
   */
  keepAliveTimeoutBuffer: 615_000,
  maxConnections: 10_000,
  maxRequestsPerSocket: 1_000,
  maxHeaderSize: 16 * 1024,
  /**
   * Number of bytes to read and discard after an answer that was sent before the end of the body, so that the sender
   * receives the answer.
   */
  lingerBytes: 1024 * 1024,
  lingerMs: 2_000,
  /** Interval at which a stop checks for quiet connections. */
  quietCheckMs: 20,
  /** Time that requests in progress have to be answered from the moment when a stop has to hurry. */
  hurriedGraceMs: 1_000,
};

/** Share of `maxConnections` above which connections are closed with their response, so that idle ones cannot use all. */
const MOST_REUSED = 0.5;

/** Senders that follow the announced time need some time to close a connection. */
const RETIRE_MARGIN_MS = 1_000;

/** Milliseconds, bytes and counts, named as in `node:http`. */
export type ServerBounds = typeof DEFAULT_BOUNDS;

/** Handles one request. */
type HandleRequest = (request: IngressRequest) => Promise<Outcome>;

interface IngressServerParts {
  handle: HandleRequest;
  /** Called with the path of each request that breaks the rules of HTTP. */
  onMalformed?(path: string): void;
  answerProbe: AnswerProbe;
  findClientAddress: FindClientAddress;
  inFlight?: BytesInFlight;
  /** Its abort shortens `retire` and `close`. Never aborted if omitted. */
  hurry?: AbortSignal;
  bounds?: Partial<ServerBounds>;
}

/** The public listener, not bound yet. */
export interface IngressServer {
  server: Server;
  /**
   * Closes each connection with its next response, but accepts new ones. A close of an idle connection can cross the next
   * request of its sender, and a sender that closes its idle connections before this server does never meets it.
   * Resolves when the connections that were open have ended, at the latest after the announced idle time or when the stop has
   * to hurry.
   */
  retire(): Promise<void>;
  /**
   * Accepts no new connections. Answers the current requests and closes each connection with its response, so that no
   * sender loses the response to a stored delivery. Resolves when all connections have ended.
   *
   * @param graceMs after this time the remaining connections are aborted, or earlier if the stop has to hurry
   */
  close(graceMs: number): Promise<void>;
}

interface Listener extends Required<Omit<IngressServerParts, 'bounds'>> {
  bounds: ServerBounds;
  connections: Connections<ServerResponse>;
  isClosing: boolean;
}

/** The public listener: only deliveries and the probes `/healthz` and `/readyz`. */
export function createIngressServer(parts: IngressServerParts): IngressServer {
  const bounds = { ...DEFAULT_BOUNDS, ...parts.bounds };
  const { inFlight = new BytesInFlight(), onMalformed = () => {}, hurry = new AbortController().signal } = parts;
  const server = createServer({ ...bounds, insecureHTTPParser: false });
  server.maxConnections = bounds.maxConnections;
  server.maxRequestsPerSocket = bounds.maxRequestsPerSocket;
  server.on('connection', keepAddress);
  const connections = new Connections<ServerResponse>(server);
  const listener: Listener = { ...parts, inFlight, onMalformed, hurry, bounds, connections, isClosing: false };
  const serve = (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) => {
    // Node.js announces the close after the last request, but does not close.
    const isLast = connections.note(request.socket, response) >= bounds.maxRequestsPerSocket;
    void answerRequest(listener, { request, response, isLast }, awaitsContinue);
  };
  server.on('request', (request, response) => serve(request, response, false));
  // `Expect: 100-continue`: the body is requested only after the preceding checks.
  server.on('checkContinue', (request, response) => serve(request, response, true));
  server.on('clientError', (error, socket) =>
    answerBrokenRequest(error, socket as Socket, connections.newestOn(socket as Socket)),
  );
  server.on('timeout', closeIfIdle);
  return {
    server,
    retire: () => {
      listener.isClosing = true;
      return connections.untilEnded(bounds.keepAliveTimeout + RETIRE_MARGIN_MS, hurry);
    },
    close: (graceMs) => {
      listener.isClosing = true;
      const { quietCheckMs, hurriedGraceMs } = bounds;
      return closeServer(server, connections, { quietCheckMs, graceMs, hurry, hurriedGraceMs });
    },
  };
}

/**
 * A connection that was reset has no address, but Node.js keeps one that was read before. The requests of a connection that was reset
 * before it was accepted are not read: nobody would know whose they are.
 */
function keepAddress(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy();
}

/**
 * Node.js checks timers before it reads from sockets. After a turn that took long, a request may wait in a connection whose
 * idle time has passed. So the connection is closed only if the next look at the sockets finds nothing.
 */
function closeIfIdle(socket: Socket): void {
  const { bytesRead } = socket;
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) socket.destroySoon();
  });
}

async function closeServer(
  server: Server,
  connections: Connections<ServerResponse>,
  end: ConnectionEnd,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  // Not the `close` of `http.Server`, which would also end the connections of busy senders.
  NetServer.prototype.close.call(server);
  await connections.endWhile(closed, end);
  // Stops the timer of `http.Server`; all connections have ended.
  server.close();
}

/** Answers one request. One that cannot be answered is disconnected: its sender can safely retry. */
async function answerRequest(listener: Listener, exchange: Exchange, awaitsContinue: boolean): Promise<void> {
  const { request, response } = exchange;
  try {
    const received = new HttpRequest(request, awaitsContinue ? response : null, listener);
    // Answered in the same turn: the parser may find an error in what follows.
    const malformed = checkFraming(received.headers.raw);
    if (malformed !== null) listener.onMalformed(received.target.path);
    const outcome = malformed ?? (await findOutcome(listener, received));
    received.release();
    if (outcome === DISCONNECTED || response.destroyed) request.socket.destroy();
    else writeAnswer(listener, exchange, received, outcome);
  } catch {
    request.socket.destroy();
  }
}

function findOutcome({ answerProbe, handle }: Listener, received: HttpRequest): Promise<Outcome> | Outcome {
  return answerProbe(received.method, received.target.path) ?? handle(received);
}

/** A request and its response. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** The connection has had its last request. */
  isLast: boolean;
}

function writeAnswer(
  listener: Listener,
  { request, response, isLast }: Exchange,
  received: HttpRequest,
  answer: IngressAnswer,
): void {
  const { bounds } = listener;
  const isReusable = !isLast && mayKeepConnections(listener) && (request.complete || isRestShort(received, bounds));
  const fields = isReusable ? answer.headers : [...answer.headers, 'Connection', 'close'];
  response.writeHead(answer.status, fields as string[]);
  if (isReusable || request.complete) {
    response.end(answer.body);
    if (!request.readableEnded) request.resume();
  } else {
    response.write(answer.body);
    endAfterRest(request, response, bounds);
  }
}

function mayKeepConnections({ isClosing, bounds, connections }: Listener): boolean {
  return !isClosing && connections.count <= bounds.maxConnections * MOST_REUSED;
}

/**
 * Whether the rest of the body is short enough to discard it, so that the connection can be used again. (`node:http` itself
 * closes a connection whose sender waited for `100 Continue` without success.)
 */
function isRestShort({ announcedBytes }: HttpRequest, { lingerBytes }: ServerBounds): boolean {
  return announcedBytes !== null && announcedBytes <= lingerBytes;
}

/** Closing immediately would reset the connection and could lose the response. Reading without a limit would be worse. */
function endAfterRest(request: IncomingMessage, response: ServerResponse, bounds: ServerBounds): void {
  let rest = bounds.lingerBytes;
  const timer = setTimeout(() => response.end(), bounds.lingerMs);
  request.on('data', (chunk: Buffer) => {
    rest -= chunk.length;
    if (rest < 0) response.end();
  });
  request.on('end', () => response.end());
  request.on('error', () => {});
  response.on('close', () => clearTimeout(timer));
  request.resume();
}

/**
 * A request that the parser rejects never reaches a webhook, and nothing is stored. Complete requests before it are answered
 * first: a delivery that is being stored must not be answered with `400`.
 *
 * @param newest the last response that was started on this connection
 */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket, newest: ServerResponse | undefined): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else if (newest === undefined || (newest.writableFinished && newest.req.complete)) rejectBroken(error, socket);
  // Its response was sent. The error is in the rest of its body.
  else if (newest.headersSent) socket.destroySoon();
  else if (newest.req.complete) newest.once('close', () => socket.destroySoon());
  // It waits behind complete requests. After a disconnect, the senders of all of them can safely retry.
  else if (newest.socket === null) socket.destroy();
  else rejectBroken(error, socket);
}

function rejectBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  const status = BROKEN_REQUEST_STATUS[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

const BROKEN_REQUEST_STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
