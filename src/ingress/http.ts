import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHeaders } from '../core/headers.ts';
import type { IngressAnswer } from './answers.ts';
import { UNAVAILABLE } from './answers.ts';
import type { FindClientAddress } from './client-address.ts';
import type { BodyRead, IngressRequest } from './handle-delivery.ts';
import { readPath } from './parse-path.ts';
import { BytesInFlight, readBody } from './read-body.ts';
import { createRequestHeaders } from './request-headers.ts';

/** Bounds on slow, idle and endless connections (threat model N2); Node's own are for friendlier places. */
const SERVER_OPTIONS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  insecureHTTPParser: false,
} as const;
const MAX_CONNECTIONS = 10_000;
const MAX_REQUESTS_PER_SOCKET = 1_000;

/** What is read and thrown away after an answer that came before the end of the body, so that the sender sees it. */
const LINGER_BYTES = 1024 * 1024;
const LINGER_MS = 2_000;

const HEALTHY: IngressAnswer = {
  status: 200,
  headers: ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', '3'],
  body: 'ok\n',
};

/** Turns one request into an answer; `null` when the sender has gone. */
export type HandleRequest = (request: IngressRequest) => Promise<IngressAnswer | null>;

/** The public listener: deliveries and `GET /healthz`, nothing else. */
export function createIngressServer(handle: HandleRequest, findClientAddress: FindClientAddress): Server {
  const inFlight = new BytesInFlight();
  const server = createServer(SERVER_OPTIONS);
  server.maxConnections = MAX_CONNECTIONS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET;
  const serve = (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) =>
    void answerRequest({ handle, findClientAddress, inFlight }, request, response, awaitsContinue);
  server.on('request', (request, response) => serve(request, response, false));
  // `Expect: 100-continue`: the body is asked for only when a check has let the sender come that far.
  server.on('checkContinue', (request, response) => serve(request, response, true));
  server.on('clientError', answerBrokenRequest);
  return server;
}

interface Listener {
  handle: HandleRequest;
  findClientAddress: FindClientAddress;
  inFlight: BytesInFlight;
}

async function answerRequest(
  listener: Listener,
  request: IncomingMessage,
  response: ServerResponse,
  awaitsContinue: boolean,
): Promise<void> {
  let heldBytes = 0;
  const headers = createRequestHeaders(request.rawHeaders);
  try {
    const answer = isHealthCheck(request)
      ? HEALTHY
      : await listener.handle({
          method: request.method!,
          target: request.url!,
          headers,
          clientAddress: listener.findClientAddress(
            request.socket.remoteAddress ?? 'unknown',
            headers.get('x-forwarded-for'),
          ),
          readBody: async (maxBytes): Promise<BodyRead> => {
            if (awaitsContinue) response.writeContinue();
            const read = await readBody(request, readContentLength(headers), maxBytes, listener.inFlight);
            heldBytes = read.held;
            return read;
          },
        });
    writeAnswer(request, response, answer);
  } catch {
    // A fault of ours must look like one: the sender repeats what it could not deliver.
    writeAnswer(request, response, UNAVAILABLE);
  } finally {
    listener.inFlight.give(heldBytes);
  }
}

function isHealthCheck(request: IncomingMessage): boolean {
  return (request.method === 'GET' || request.method === 'HEAD') && readPath(request.url!) === '/healthz';
}

/** `null` for a chunked body; 0 where there is none. Its form was checked by the parser. */
function readContentLength(headers: RequestHeaders): number | null {
  if (headers.get('transfer-encoding') !== undefined) return null;
  return Number(headers.get('content-length') ?? 0);
}

function writeAnswer(request: IncomingMessage, response: ServerResponse, answer: IngressAnswer | null): void {
  if (answer === null || response.destroyed) {
    request.socket.destroy();
    return;
  }
  const isBodyRead = request.complete || !hasBody(request);
  const headers = isBodyRead ? answer.headers : [...answer.headers, 'Connection', 'close'];
  response.writeHead(answer.status, headers as string[]);
  response.end(answer.body);
  if (!isBodyRead) discardRest(request);
}

function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Closing at once would reset the connection and could take the answer with it; reading on forever would be worse. */
function discardRest(request: IncomingMessage): void {
  const { socket } = request;
  let rest = LINGER_BYTES;
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  request.on('data', (chunk: Buffer) => {
    rest -= chunk.length;
    if (rest < 0) socket.destroy();
  });
  request.on('close', () => clearTimeout(timer));
  request.resume();
}

/** What the parser refused never reached a webhook; nothing is stored. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = BROKEN_REQUEST_STATUS[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

const BROKEN_REQUEST_STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
