import type { Agent } from 'undici';
import { type ApiClient, createApiClient } from '../client/create-api-client.ts';
import type { Connection } from './connection.ts';

/** The client of one daemon. `close` closes its connections, so that the process can end. */
export interface DaemonClient {
  api: ApiClient;
  close(): Promise<void>;
}

// A reconciliation that is waited for may fetch a large repository first.
const ANSWER_TIMEOUT_MS = 15 * 60_000;

const AGENT_OPTIONS = {
  connect: { timeout: 10_000 },
  headersTimeout: ANSWER_TIMEOUT_MS,
  bodyTimeout: ANSWER_TIMEOUT_MS,
};

/** A client of the management API with the token and the time limits of the command line. */
export async function connectDaemon({ url, token }: Connection): Promise<DaemonClient> {
  // Loaded here because offline commands such as `validate` start faster without it.
  const undici = await import('undici');
  const agent = new undici.Agent(AGENT_OPTIONS);
  const api = createApiClient({
    baseUrl: url,
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    Request: undici.Request as unknown as typeof Request,
    fetch: (request) => send(undici, agent, request),
  });
  return { api, close: () => agent.close() };
}

/** As `fetch`, but without its blocked ports and its redirects: the daemon has neither. */
async function send(undici: typeof import('undici'), dispatcher: Agent, request: Request): Promise<Response> {
  const answer = await undici.request(request.url, {
    method: request.method as 'GET',
    dispatcher,
    headers: Object.fromEntries(request.headers),
    body: request.body === null ? null : Buffer.from(await request.arrayBuffer()),
  });
  const bytes = await answer.body.arrayBuffer();
  const { etag } = answer.headers;
  return new undici.Response(bytes.byteLength === 0 ? null : bytes, {
    status: answer.statusCode,
    headers: typeof etag === 'string' ? { etag } : {},
  }) as unknown as Response;
}
