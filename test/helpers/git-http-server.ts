import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of git's smart protocol on loopback. */
export interface GitHttpServer {
  /** `http://127.0.0.1:PORT` */
  url: string;
  /** The received requests, most recent last. */
  requests: { method: string; url: string; authorization: string | undefined }[];
  /** Resolves when half of a pack has been sent. */
  stalled: Promise<void>;
  close(): Promise<void>;
}

export interface GitHttpServerOptions {
  /** The folder with the served repositories. */
  root: string;
  /** Requires this `Authorization` header. */
  authorization?: string;
  /** Sends half of a pack and then nothing. */
  stallPack?: boolean;
  /** Never responds. */
  silent?: boolean;
}

/** Serves the repositories of a folder with `git http-backend`. */
export async function startGitHttpServer(options: GitHttpServerOptions): Promise<GitHttpServer> {
  const requests: GitHttpServer['requests'] = [];
  let reportStall = () => {};
  const stalled = new Promise<void>((resolve) => {
    reportStall = resolve;
  });
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    requests.push({ method, url, authorization: request.headers.authorization });
    if (options.silent) return;
    if (options.authorization !== undefined && request.headers.authorization !== options.authorization) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end();
      return;
    }
    answerByBackend(options, request, response, reportStall);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stalled,
    async close() {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answerByBackend(
  options: GitHttpServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  reportStall: () => void,
): void {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  // Not with simple-git, which returns output as text, because a pack is bytes.
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: options.root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.stdin.on('error', () => {});
  request.pipe(backend.stdin);
  backend.once('close', () => sendCgi(Buffer.concat(chunks), options.stallPack === true, response, reportStall));
}

function sendCgi(output: Buffer, stallPack: boolean, response: ServerResponse, reportStall: () => void): void {
  const end = output.indexOf('\r\n\r\n');
  const headers = output
    .subarray(0, end)
    .toString()
    .split('\r\n')
    .map((line) => line.split(': ') as [string, string]);
  const status = Number(headers.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200);
  response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status')));
  const body = output.subarray(end + 4);
  if (!stallPack || !body.includes('PACK')) {
    response.end(body);
    return;
  }
  response.write(body.subarray(0, Math.floor(body.length / 2)), reportStall);
}
