import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StandardWebhook } from '../providers/senders.ts';

/** An accepted commit status or webhook. */
interface TakenStatus {
  api: 'github' | 'gitlab' | 'gitea' | 'webhook';
  repository: string;
  sha: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of four shapes
  body: any;
  headers: IncomingHttpHeaders;
}

/** The response to the next request instead of accepting it. */
interface ScriptedAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** Replaces git hosts and receivers of webhooks. Accepts only requests that follow their documentation. */
export interface GitHost {
  /** `http://127.0.0.1:PORT`; the APIs are below `/github`, `/gitlab/api/v4`, `/gitea/api/v1` and `/webhook`. */
  url: string;
  port: number;
  statuses: TakenStatus[];
  /** Number of requests, with any response. */
  requests: number;
  /** Requests that did not follow the documentation. */
  violations: string[];
  /** Responds to the next requests with these responses, in order. */
  script(...answers: ScriptedAnswer[]): void;
  /** Responds to no request until `resume`. */
  hang(): void;
  resume(): void;
  close(): Promise<void>;
}

export const HOST_TOKEN = 'token-of-the-git-host';
export const HOST_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

interface Request {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Why a request does not follow the documentation, or its content. */
type Reading = TakenStatus | { violation: string; status: number };

export async function startGitHost(port = 0): Promise<GitHost> {
  const answers: ScriptedAnswer[] = [];
  const host = { statuses: [] as TakenStatus[], violations: [] as string[], requests: 0 };
  let isHanging = false;
  const server = createServer(async (request, response) => {
    host.requests += 1;
    if (isHanging) return;
    const text = await readText(request);
    const reading = readRequest({ path: request.url ?? '', headers: request.headers, text }, request.method ?? '');
    if ('violation' in reading) host.violations.push(reading.violation);
    const scripted = answers.shift();
    if (scripted !== undefined) return void response.writeHead(scripted.status, scripted.headers).end(scripted.body);
    if ('violation' in reading) return answerJson(response, reading.status, { message: reading.violation });
    host.statuses.push(reading);
    answerJson(response, 201, { id: host.statuses.length });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return Object.assign(host, {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    script: (...scripted: ScriptedAnswer[]) => void answers.push(...scripted),
    hang: () => {
      isHanging = true;
    },
    resume: () => {
      isHanging = false;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function answerJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function readRequest(request: Request, method: string): Reading {
  const [, api = '', rest = ''] = /^\/(github|gitlab|gitea|webhook)(\/.*)?$/.exec(request.path) ?? [];
  if (method !== 'POST') return reject(405, `${method} instead of POST`);
  const mediaTypes = ['application/json', ...(api === 'webhook' ? ['application/cloudevents+json'] : [])];
  if (!mediaTypes.includes(request.headers['content-type'] ?? '')) return reject(415, `not ${mediaTypes}`);
  if (api === 'github') return readGithub(request, rest);
  if (api === 'gitlab') return readGitlab(request, rest);
  if (api === 'gitea') return readGitea(request, rest);
  return api === 'webhook' ? readWebhook(request) : reject(404, `no API at ${request.path}`);
}

function reject(status: number, violation: string): Reading {
  return { status, violation };
}

/** POST /repos/{owner}/{repo}/statuses/{sha}: `state`, `target_url`, `description` (at most 140), `context`. */
function readGithub({ headers, text }: Request, path: string): Reading {
  const [, repository, sha] = /^\/repos\/([\w.-]+\/[\w.-]+)\/statuses\/([0-9a-f]{40})$/.exec(path) ?? [];
  if (repository === undefined || sha === undefined) return reject(404, `GitHub has nothing at ${path}`);
  if (headers.authorization !== `Bearer ${HOST_TOKEN}`) return reject(401, 'Bad credentials');
  if (headers.accept !== 'application/vnd.github+json') return reject(415, 'GitHub wants its own media type');
  if (headers['x-github-api-version'] !== '2022-11-28') return reject(400, 'GitHub wants the version of its API');
  if (!headers['user-agent']) return reject(403, 'GitHub wants a User-Agent');
  const body = JSON.parse(text);
  const problem = findProblem(body, ['success', 'failure', 'error', 'pending'], 'context', 140);
  return problem === null ? { api: 'github', repository, sha, body, headers } : reject(422, problem);
}

/** POST /projects/:id/statuses/:sha: `state`, `name`, `ref`, `description`, `target_url`. */
function readGitlab({ headers, text }: Request, path: string): Reading {
  const [, id, sha] = /^\/api\/v4\/projects\/([\w.%-]+)\/statuses\/([0-9a-f]{40})$/.exec(path) ?? [];
  if (id === undefined || sha === undefined) return reject(404, `GitLab has nothing at ${path}`);
  if (headers['private-token'] !== HOST_TOKEN) return reject(401, '401 Unauthorized');
  const body = JSON.parse(text);
  const states = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'];
  const problem = findProblem(body, states, 'name', 255);
  if (problem !== null) return reject(400, problem);
  return { api: 'gitlab', repository: decodeURIComponent(id), sha, body, headers };
}

/** POST /api/v1/repos/{owner}/{repo}/statuses/{sha}: `state`, `target_url`, `description`, `context`. */
function readGitea({ headers, text }: Request, path: string): Reading {
  const pattern = /^\/api\/v1\/repos\/([\w.-]+\/[\w.-]+)\/statuses\/([0-9a-f]{40})$/;
  const [, repository, sha] = pattern.exec(path) ?? [];
  if (repository === undefined || sha === undefined) return reject(404, `Gitea has nothing at ${path}`);
  if (headers.authorization !== `token ${HOST_TOKEN}`) return reject(401, 'token is required');
  const body = JSON.parse(text);
  const problem = findProblem(body, ['pending', 'success', 'error', 'failure', 'warning'], 'context', 255);
  return problem === null ? { api: 'gitea', repository, sha, body, headers } : reject(422, problem);
}

/** Signed according to https://www.standardwebhooks.com, verified by its library. */
function readWebhook({ headers, text }: Request): Reading {
  try {
    const body = new StandardWebhook(HOST_WEBHOOK_SECRET).verify(
      text,
      headers as Record<string, string>,
    ) as TakenStatus['body'];
    return { api: 'webhook', repository: '', sha: body.data.revision, body, headers };
  } catch (error) {
    return reject(401, `the webhook does not verify: ${error}`);
  }
}

const KNOWN_KEYS = ['state', 'target_url', 'description', 'context', 'name', 'ref'];

function findProblem(body: Record<string, unknown>, states: string[], named: string, maxLength: number): string | null {
  if (!states.includes(String(body.state))) return `state ${body.state} is not included in the list`;
  if (typeof body[named] !== 'string') return `${named} is missing`;
  if (typeof body.description !== 'string' || body.description.length > maxLength) return 'description is too long';
  const unknown = Object.keys(body).filter((key) => !KNOWN_KEYS.includes(key));
  return unknown.length === 0 ? null : `unknown keys ${unknown}`;
}
