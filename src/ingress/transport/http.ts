import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { RequestHeaders } from '../../core/headers.ts';
import { DISCONNECTED, type Outcome } from '../ingress-context.ts';
import type { IngressRequest } from '../reception.ts';
import type { IngressAnswer } from './answers.ts';
import { checkFraming } from './check-framing.ts';
import type { FindClientAddress } from './client-address.ts';
import { Connections } from './connections.ts';
import type { AnswerProbe } from './probes.ts';
import { type BodyRead, BytesInFlight, type HeldBytes, readBody } from './read-body.ts';
import { createRequestHeaders, type ReceivedHeaders } from './request-headers.ts';
import { type RequestTarget, readRequestTarget } from './request-target.ts';

/**
 * Limits for slow, idle and endless connections (threat model N2). Node's defaults are too generous for a public
 * listener.
 */
const DEFAULT_BOUNDS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
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
};

/** Milliseconds, bytes and counts, named as in `node:http`. */
export type ServerBounds = typeof DEFAULT_BOUNDS;

/** Handles one request. */
export type HandleRequest = (request: IngressRequest) => Promise<Outcome>;

export interface IngressServerParts {
  handle: HandleRequest;
  answerProbe: AnswerProbe;
  findClientAddress: FindClientAddress;
  inFlight?: BytesInFlight;
  bounds?: Partial<ServerBounds>;
}

/** The public listener, not bound yet. */
export interface IngressServer {
  server: Server;
  /**
   * Accepts no new connections. Answers the current requests and closes each connection with its response, so that no
   * sender loses the response to a stored delivery. Resolves when all connections have ended.
   *
   * @param graceMs after this time the remaining connections are aborted
   */
  close(graceMs: number): Promise<void>;
}

interface Listener extends Required<Omit<IngressServerParts, 'bounds'>> {
  bounds: ServerBounds;
  isClosing: boolean;
}

/** The public listener: only deliveries and the probes `/healthz` and `/readyz`. */
export function createIngressServer(parts: IngressServerParts): IngressServer {
  const bounds = { ...DEFAULT_BOUNDS, ...parts.bounds };
  const { inFlight = new BytesInFlight() } = parts;
  const listener: Listener = { ...parts, inFlight, bounds, isClosing: false };
  const server = createServer({ ...bounds, insecureHTTPParser: false });
  server.maxConnections = bounds.maxConnections;
  server.maxRequestsPerSocket = bounds.maxRequestsPerSocket;
  const connections = new Connections(server);
  const newest = new WeakMap<Socket, ServerResponse>();
  const serve = (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) => {
    connections.note(request.socket, response);
    newest.set(request.socket, response);
    // Requests that cannot be answered are disconnected. Their senders can safely retry.
    answerRequest(listener, request, response, awaitsContinue).catch(() => request.socket.destroy());
  };
  server.on('request', (request, response) => serve(request, response, false));
  // `Expect: 100-continue`: the body is requested only after the preceding checks.
  server.on('checkContinue', (request, response) => serve(request, response, true));
  server.on('clientError', (error, socket) =>
    answerBrokenRequest(error, socket as Socket, newest.get(socket as Socket)),
  );
  return {
    server,
    close: (graceMs) => {
      listener.isClosing = true;
      return closeServer(server, connections, bounds.quietCheckMs, graceMs);
    },
  };
}

async function closeServer(
  server: Server,
  connections: Connections,
  quietCheckMs: number,
  graceMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  // Not the `close` of `http.Server`, which would also end the connections of busy senders.
  NetServer.prototype.close.call(server);
  await connections.endWhile(closed, { quietCheckMs, graceMs });
  // Stops the timer of `http.Server`; all connections have ended.
  server.close();
}

async function answerRequest(
  listener: Listener,
  request: IncomingMessage,
  response: ServerResponse,
  awaitsContinue: boolean,
): Promise<void> {
  const headers = createRequestHeaders(request.rawHeaders);
  const target = readRequestTarget(request.url!);
  const invite = awaitsContinue ? () => response.writeContinue() : null;
  const held = listener.inFlight.open();
  // Answered in the same turn: the parser may find an error in what follows.
  const outcome =
    checkFraming(headers.raw) ??
    (await (listener.answerProbe(request.method!, target.path) ??
      handleRequest(listener, request, { headers, target, invite, held })));
  held.release();
  if (outcome === DISCONNECTED || response.destroyed) request.socket.destroy();
  else writeAnswer(listener, request, headers, response, outcome);
}

function writeAnswer(
  { isClosing, bounds }: Listener,
  request: IncomingMessage,
  headers: ReceivedHeaders,
  response: ServerResponse,
  answer: IngressAnswer,
): void {
  const isReusable = !isClosing && (request.complete || isRestShort(headers, bounds));
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

/** The head of a request, parsed once. */
interface RequestHead {
  headers: ReceivedHeaders;
  target: RequestTarget;
  /** Requests the body from a sender that waits for `100 Continue`; `null` if the sender does not wait. */
  invite: (() => void) | null;
  /** The bytes of its body in memory. */
  held: HeldBytes;
}

function handleRequest(
  { handle, findClientAddress }: Listener,
  request: IncomingMessage,
  { headers, target, invite, held }: RequestHead,
): Promise<Outcome> {
  return handle({
    method: request.method!,
    target,
    headers,
    clientAddress: findClientAddress(request.socket.remoteAddress ?? 'unknown', () => headers.get('x-forwarded-for')),
    readBody: (maxBytes): Promise<BodyRead> => {
      const announcedBytes = readContentLength(headers);
      if (announcedBytes === null || announcedBytes <= maxBytes) invite?.();
      return readBody(request, announcedBytes, maxBytes, held);
    },
  });
}

/** `null` for a chunked body; 0 if there is none. The parser checked its format, and allows 2^64. */
function readContentLength(headers: RequestHeaders): number | null {
  if (headers.get('transfer-encoding') !== undefined) return null;
  return Math.min(Number(headers.get('content-length') ?? 0), Number.MAX_SAFE_INTEGER);
}

/**
 * Whether the rest of the body is short enough to discard it, so that the connection can be used again. (`node:http` itself
 * closes a connection whose sender waited for `100 Continue` without success.)
 */
function isRestShort(headers: RequestHeaders, { lingerBytes }: ServerBounds): boolean {
  const announcedBytes = readContentLength(headers);
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
