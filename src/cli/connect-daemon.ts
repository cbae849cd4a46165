import type { Agent, IncomingMessage, RequestOptions } from 'node:http';
import { connect } from 'node:net';
import { type ApiClient, createApiClient } from '../client/create-api-client.ts';
import { describeFailure, RequestFailed, readProblem } from '../client/read-answer.ts';
import type { Connection } from './connection.ts';

/** The client of one daemon. `close` closes its connections, so that the process can end. */
export interface DaemonClient {
  api: ApiClient;
  /** When the token expires, according to the last answer; `null` if never, or not known. */
  tokenExpiresAt(): number | null;
  /** Posts JSON and resolves with an answer that is read as it arrives. Rejects with `RequestFailed`. */
  download(path: string, body: object, signal: AbortSignal): Promise<IncomingMessage>;
  close(): void;
}

/** As the management API sends it. */
const EXPIRATION_HEADER = 'dockbell-authentication-token-expiration';

const CONNECT_TIMEOUT_MS = 10_000;
// A reconciliation that is waited for may fetch a large repository first.
const ANSWER_TIMEOUT_MS = 15 * 60_000;

export interface ClientLimits {
  isReadOnly?: boolean;
  answerTimeoutMs?: number;
}

/** A request that waits to be sent. The class of the platform does much more and takes longer to load. */
class PreparedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly content: string | undefined;

  constructor(url: string, init: { method: string; headers: Headers; body?: string }) {
    this.url = url;
    this.method = init.method;
    this.headers = init.headers;
    this.content = init.body;
  }
}

/**
 * A client of the management API with the token and the time limits of the command line. It uses `node:http`, because
 * `fetch` cannot wait longer than five minutes for an answer and undici takes longer to load than most commands run.
 *
 * @param limits.isReadOnly every request that could change something throws instead of being sent
 */
export async function connectDaemon(
  { url, token }: Connection,
  { isReadOnly = false, answerTimeoutMs = ANSWER_TIMEOUT_MS }: ClientLimits = {},
): Promise<DaemonClient> {
  const http = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const agent = new http.Agent({ keepAlive: true });
  let expiresAt: number | null = null;
  const note = ({ headers }: IncomingMessage) => {
    const text = headers[EXPIRATION_HEADER];
    if (typeof text === 'string') expiresAt = Date.parse(text);
  };
  const api = createApiClient({
    baseUrl: url,
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    Request: PreparedRequest as unknown as typeof Request,
    fetch: async (request) => {
      if (isReadOnly && request.method !== 'GET') throw new Error(`a dry run must not send ${request.method}`);
      return send({ http, agent, answerTimeoutMs, note }, request as unknown as PreparedRequest);
    },
  });
  const download = (path: string, body: object, signal: AbortSignal) =>
    openDownload(http, `${url}${path}`, { agent, token, body: JSON.stringify(body), signal });
  return { api, download, tokenExpiresAt: () => expiresAt, close: () => agent.destroy() };
}

/** Why no connection to the address can be opened; `null` if one can. Nothing is sent. */
export function findConnectFailure(url: string): Promise<RequestFailed | null> {
  const { hostname, port, protocol } = new URL(url);
  const usualPort = protocol === 'https:' ? 443 : 80;
  return new Promise((resolve) => {
    const end = (failure: RequestFailed | null) => {
      socket.destroy();
      resolve(failure);
    };
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: Number(port || usualPort), timeout: CONNECT_TIMEOUT_MS });
    socket.on('connect', () => end(null));
    socket.on('error', (error) => end(describeFailure(error)));
    socket.on('timeout', () => end(describeFailure(timeOut('no connection in time'))));
  });
}

/** No answer and no piece of it takes longer than this, even of a backup of a large database on a slow disk. */
const DOWNLOAD_IDLE_MS = 6 * 60 * 60_000;

function openDownload(
  http: Http,
  url: string,
  { agent, token, body, signal }: { agent: Agent; token: string; body: string; signal: AbortSignal },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    };
    const options = { method: 'POST', agent, headers, signal, timeout: DOWNLOAD_IDLE_MS };
    const fail = (error: Error) => reject(describeFailure(error));
    const request = http.request(url, options, (answer) => {
      if (answer.statusCode === 200) resolve(answer);
      else readAnswer(answer).then((response) => readProblemOf(response).then(reject), fail);
    });
    request.on('error', fail);
    request.on('timeout', () => request.destroy(timeOut('the daemon sent nothing for a long time')));
    request.end(body);
  });
}

async function readProblemOf(response: Response): Promise<RequestFailed> {
  const error: unknown = await response.json().catch(() => null);
  return new RequestFailed(readProblem(error, response));
}

interface Http {
  request(url: string, options: RequestOptions, onAnswer: (answer: IncomingMessage) => void): ReturnType<Requester>;
}
type Requester = typeof import('node:http').request;

interface Sending {
  http: Http;
  agent: Agent;
  answerTimeoutMs: number;
  /** Called for each answer. */
  note(answer: IncomingMessage): void;
}

function send(
  { http, agent, answerTimeoutMs, note }: Sending,
  { url, method, headers, content }: PreparedRequest,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const length = content === undefined ? {} : { 'content-length': String(Buffer.byteLength(content)) };
    const options = {
      method,
      agent,
      headers: { ...Object.fromEntries(headers), ...length },
      timeout: answerTimeoutMs,
    };
    const request = http.request(url, options, (answer) => {
      note(answer);
      readAnswer(answer).then(resolve, reject);
    });
    request.on('error', reject);
    request.on('timeout', () => request.destroy(timeOut('the daemon did not answer in time')));
    request.on('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(() => request.destroy(timeOut('no connection in time')), CONNECT_TIMEOUT_MS);
      for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer));
    });
    request.end(content);
  });
}

function timeOut(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' });
}

async function readAnswer(answer: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const { statusCode = 0, headers } = answer;
  return new Response(chunks.length === 0 ? null : Buffer.concat(chunks), {
    status: statusCode,
    headers: headers.etag === undefined ? {} : { etag: headers.etag },
  });
}
