import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a simulated API received. */
export interface ReceivedRequest {
  method: string;
  /** Path with its query. */
  path: string;
  headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into the body
  body: any;
}

export interface ApiReply {
  status: number;
  /** A text is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** A simulated API of a provider, on loopback. */
export interface HookApi {
  url: string;
  requests: ReceivedRequest[];
  /** Answers of the next requests, instead of the usual ones. `hold`: no answer. `null`: the usual one. */
  script: (ApiReply | 'hold' | null)[];
  /** Requests that could change something, since the last call. */
  takeChanges(): ReceivedRequest[];
  close(): Promise<void>;
}

/** Serves an API whose usual answers are those of `reply`. */
export async function startHookApi(
  reply: (request: ReceivedRequest, url: string) => ApiReply,
  isRead: (request: ReceivedRequest) => boolean = ({ method }) => method === 'GET',
): Promise<HookApi> {
  const requests: ReceivedRequest[] = [];
  const script: HookApi['script'] = [];
  let taken = 0;
  let url = '';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    const { method = '', url: path = '', headers } = request;
    const received = { method, path, headers, body: text === '' ? null : JSON.parse(text) };
    requests.push(received);
    const scripted = script.shift() ?? null;
    if (scripted !== 'hold') send(response, scripted ?? reply(received, url));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    script,
    takeChanges: () => {
      const since = requests.slice(taken);
      taken = requests.length;
      return since.filter((request) => !isRead(request));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, { status, body, headers = {} }: ApiReply): void {
  const type = typeof body === 'string' ? 'text/html' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body ?? null));
}
