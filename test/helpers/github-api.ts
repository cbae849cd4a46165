import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A delivery that the simulated API reports. */
export interface ReportedDelivery {
  id: number;
  guid: string;
  event: string;
  status_code: number;
  /** RFC 3339. */
  delivered_at: string;
  headers: Record<string, string>;
  /** JSON. It is reported parsed and indented, as GitHub does. */
  payload: string;
}

export interface GithubApi {
  url: string;
  /** Deliveries by the path of their hook, newest first. */
  hooks: Map<string, { url: string; deliveries: ReportedDelivery[] }>;
  /** Paths of all requests. */
  requests: string[];
  /** Answers of the next requests, instead of the usual ones. */
  failures: { status: number; headers?: Record<string, string> }[];
  close(): Promise<void>;
}

const PAGE = 2;

/** The REST API of GitHub, simulated on loopback: hooks, and their deliveries in pages of two. */
export async function startGithubApi(token: string): Promise<GithubApi> {
  const api = { hooks: new Map(), requests: [], failures: [] } as unknown as GithubApi;
  const server = createServer((request, response) => answer(api, token, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  api.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  api.close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return api;
}

function answer(api: GithubApi, token: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url!, api.url);
  api.requests.push(`${pathname}?${searchParams}`);
  const failure = api.failures.shift();
  const [, hookPath = '', deliveryId] = /^(.*\/hooks\/\d+)\/deliveries(?:\/(\d+))?$/.exec(pathname) ?? [];
  const hook = api.hooks.get(hookPath);
  const listed = [...api.hooks].filter(([path]) => path.startsWith(`${pathname}/`) && pathname.endsWith('/hooks'));
  if (failure !== undefined) send(response, failure.status, {}, failure.headers);
  else if (request.headers.authorization !== `Bearer ${token}`) send(response, 401, { message: 'Bad credentials' });
  else if (hook !== undefined && deliveryId !== undefined) sendDelivery(response, hook.deliveries, Number(deliveryId));
  else if (hook !== undefined) sendPage(api, response, { pathname, deliveries: hook.deliveries, searchParams });
  else if (listed.length === 0) send(response, 404, { message: 'Not Found' });
  else {
    const hooks = listed.map(([path, { url }]) => ({ id: Number(path.split('/').at(-1)), config: { url } }));
    send(response, 200, hooks);
  }
}

function sendPage(
  api: GithubApi,
  response: ServerResponse,
  request: { pathname: string; deliveries: ReportedDelivery[]; searchParams: URLSearchParams },
): void {
  const from = Number(request.searchParams.get('cursor') ?? 0);
  const next = from + PAGE;
  const link = `<${api.url}${request.pathname}?per_page=100&cursor=${next}>; rel="next"`;
  const rows = request.deliveries.slice(from, next).map(({ headers: _, payload: __, ...row }) => ({
    ...row,
    action: null,
    status: row.status_code < 300 ? 'OK' : 'failed to connect to host',
  }));
  send(response, 200, rows, next < request.deliveries.length ? { link } : {});
}

function sendDelivery(response: ServerResponse, deliveries: ReportedDelivery[], id: number): void {
  const found = deliveries.find((delivery) => delivery.id === id);
  const { headers, payload, ...row } = found!;
  send(response, 200, { ...row, request: { headers, payload: JSON.parse(payload) } });
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body, null, 2));
}
