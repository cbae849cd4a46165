import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const REQUEST_TOKEN = 'token-for-pull-requests';
/** Of requests without another title. */
export const REQUEST_TITLE = '<!-- dockbell --> @everyone';

/** An open pull or merge request of the simulated host. */
interface HostedRequest {
  number: number;
  commit: string;
  /** Default: `main`. */
  base?: string;
  isFork?: boolean;
  /** Default: `REQUEST_TITLE`. */
  title?: string;
  /** Address of its page. Default: one that the host would have. */
  page?: string;
}

interface HostedComment {
  id: number;
  author: number;
  body: string;
}

interface PostedStatus {
  sha: string;
  state: string;
  description: string;
  context: string;
}

/** Replaces the next answer to a request whose `METHOD /path` contains the text. */
interface ScriptedFailure {
  at: string;
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** The part of the APIs of GitHub and GitLab for pull and merge requests, on loopback. Rejects what their documentation does not allow. */
export interface RequestHost {
  /** Base of the API. */
  url: string;
  type: 'github' | 'gitlab';
  statuses: PostedStatus[];
  /** `METHOD /path?query` of each request. */
  asked: string[];
  /** Requests that did not follow the documentation. */
  violations: string[];
  /** Opens a request, or moves its head. */
  open(request: HostedRequest): void;
  closeRequest(number: number): void;
  comments(number: number): HostedComment[];
  /** Somebody else comments. */
  comment(number: number, body: string): void;
  script(...failures: ScriptedFailure[]): void;
  close(): Promise<void>;
}

const DOCKBELL_ACCOUNT = 4001;
const OTHER_ACCOUNT = 9009;
const GITHUB_STATES = ['pending', 'success', 'failure', 'error'];
const GITLAB_STATES = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'];

interface World {
  type: RequestHost['type'];
  open: (HostedRequest & { updatedAt: number })[];
  comments: Map<number, HostedComment[]>;
  statuses: PostedStatus[];
  asked: string[];
  violations: string[];
  failures: ScriptedFailure[];
  repository: string;
  changes: number;
}

/** A request as the host received it. */
interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  text: string;
  request: IncomingMessage;
}

type Answer = { status: number; body?: unknown; headers?: Record<string, string> };

/** @param repository the only one that exists */
export async function startRequestHost(type: RequestHost['type'], repository = 'team/factory'): Promise<RequestHost> {
  const world: World = {
    type,
    repository,
    open: [],
    comments: new Map(),
    statuses: [],
    asked: [],
    violations: [],
    failures: [],
    changes: 0,
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    respond(world, request, Buffer.concat(chunks).toString('utf8'), response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const commentsOf = (number: number) => {
    const list = world.comments.get(number) ?? [];
    world.comments.set(number, list);
    return list;
  };
  return {
    type,
    url: type === 'github' ? origin : `${origin}/api/v4`,
    statuses: world.statuses,
    asked: world.asked,
    violations: world.violations,
    open: (request) => {
      world.open = world.open.filter(({ number }) => number !== request.number);
      world.open.unshift({ ...request, updatedAt: ++world.changes });
    },
    closeRequest: (number) => {
      world.open = world.open.filter((request) => request.number !== number);
    },
    comments: commentsOf,
    comment: (number, body) => void commentsOf(number).push({ id: ++world.changes, author: OTHER_ACCOUNT, body }),
    script: (...failures) => void world.failures.push(...failures),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function respond(world: World, request: IncomingMessage, text: string, response: ServerResponse): void {
  const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://host');
  const asked: Asked = { method: request.method ?? '', path: pathname, query, text, request };
  const line = `${asked.method} ${request.url}`;
  world.asked.push(line);
  const scripted = world.failures.findIndex(({ at }) => line.includes(at));
  if (scripted !== -1) {
    const [failure] = world.failures.splice(scripted, 1);
    response.writeHead(failure!.status, failure!.headers).end(failure!.body ?? '{"message": "scripted"}');
    return;
  }
  const { status, body, headers } = world.type === 'github' ? answerGithub(world, asked) : answerGitlab(world, asked);
  if (status >= 400) world.violations.push(`${line}: ${JSON.stringify(body)}`);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function reject(status: number, message: string): Answer {
  return { status, body: { message } };
}

function answerGithub(world: World, asked: Asked): Answer {
  const { headers } = asked.request;
  if (headers.authorization !== `Bearer ${REQUEST_TOKEN}`) return reject(401, 'Bad credentials');
  if (headers.accept !== 'application/vnd.github+json') return reject(415, 'GitHub wants its own media type');
  if (!headers['user-agent']) return reject(403, 'GitHub wants a User-Agent');
  if (asked.method === 'GET' && asked.path === '/user') return answerUser();
  const prefix = `/repos/${world.repository}`;
  if (!asked.path.startsWith(`${prefix}/`)) return reject(404, 'Not Found');
  const path = asked.path.slice(prefix.length);
  if (asked.method === 'GET' && path === '/pulls') {
    return answerList(world, asked, { branch: asked.query.get('base'), state: 'open' }, (one) => ({
      number: one.number,
      state: 'open',
      title: one.title ?? REQUEST_TITLE,
      html_url: one.page ?? `https://github.example/${world.repository}/pull/${one.number}`,
      head: { sha: one.commit, ref: 'change', repo: { id: one.isFork ? 2 : 1 } },
      base: { ref: one.base ?? 'main', repo: { id: 1 } },
    }));
  }
  const [, sha] = /^\/statuses\/([0-9a-f]{40})$/.exec(path) ?? [];
  if (asked.method === 'POST' && sha !== undefined) return takeStatus(world, sha, asked.text, GITHUB_STATES, 140);
  const [, commented] = /^\/issues\/(\d+)\/comments$/.exec(path) ?? [];
  if (commented !== undefined) {
    return answerComments(world, asked, Number(commented), ({ id, author, body }) => {
      return { id, body, user: { id: author, login: `user-${author}`, type: 'User' } };
    });
  }
  const [, changed] = /^\/issues\/comments\/(\d+)$/.exec(path) ?? [];
  if (asked.method === 'PATCH' && changed !== undefined) return changeComment(world, Number(changed), asked.text);
  return reject(404, `GitHub has nothing at ${asked.method} ${asked.path}`);
}

function answerGitlab(world: World, asked: Asked): Answer {
  if (asked.request.headers['private-token'] !== REQUEST_TOKEN) return reject(401, '401 Unauthorized');
  if (asked.method === 'GET' && asked.path === '/api/v4/user') return answerUser();
  const prefix = `/api/v4/projects/${encodeURIComponent(world.repository)}`;
  if (!asked.path.startsWith(`${prefix}/`)) return reject(404, '404 Project Not Found');
  const path = asked.path.slice(prefix.length);
  if (asked.method === 'GET' && path === '/merge_requests') {
    return answerList(world, asked, { branch: asked.query.get('target_branch'), state: 'opened' }, (one) => ({
      iid: one.number,
      title: one.title ?? REQUEST_TITLE,
      web_url: one.page ?? `https://gitlab.example/${world.repository}/-/merge_requests/${one.number}`,
      id: one.number + 10_000,
      sha: one.commit,
      target_branch: one.base ?? 'main',
      source_project_id: one.isFork ? 2 : 1,
      target_project_id: 1,
    }));
  }
  const [, sha] = /^\/statuses\/([0-9a-f]{40})$/.exec(path) ?? [];
  if (asked.method === 'POST' && sha !== undefined) return takeStatus(world, sha, asked.text, GITLAB_STATES, 255);
  const [, noted, note] = /^\/merge_requests\/(\d+)\/notes(?:\/(\d+))?$/.exec(path) ?? [];
  if (asked.method === 'PUT' && note !== undefined) return changeComment(world, Number(note), asked.text);
  if (noted !== undefined && note === undefined) {
    return answerComments(world, asked, Number(noted), ({ id, author, body }) => ({
      id,
      body,
      author: { id: author },
    }));
  }
  return reject(404, `GitLab has nothing at ${asked.method} ${asked.path}`);
}

function answerUser(): Answer {
  return { status: 200, body: { id: DOCKBELL_ACCOUNT, login: 'dockbell-checks' } };
}

function answerList(
  world: World,
  { query, request }: Asked,
  { branch, state }: { branch: string | null; state: string },
  present: (one: HostedRequest) => unknown,
): Answer {
  if (query.get('state') !== state) return reject(422, 'only open requests are asked for');
  const rows = world.open.filter((one) => (one.base ?? 'main') === branch).map(present);
  const [size, page] = [Number(query.get('per_page')), Number(query.get('page'))];
  const body = rows.slice((page - 1) * size, page * size);
  const etag = `W/"${createHash('sha256').update(JSON.stringify(body)).digest('hex')}"`;
  if (request.headers['if-none-match'] === etag) return { status: 304 };
  return { status: 200, body, headers: { etag } };
}

function takeStatus(world: World, sha: string, text: string, states: readonly string[], longest: number): Answer {
  const body = JSON.parse(text);
  const context = body.context ?? body.name;
  if (!states.includes(body.state)) return reject(422, `no state ${body.state}`);
  if (typeof context !== 'string' || typeof body.description !== 'string') return reject(422, 'a text is missing');
  if (body.description.length > longest) return reject(422, 'description is too long');
  world.statuses.push({ sha, state: body.state, description: body.description, context });
  return { status: 201, body: { id: world.statuses.length } };
}

function answerComments(
  world: World,
  { method, query, text }: Asked,
  number: number,
  present: (comment: HostedComment) => unknown,
): Answer {
  const list = world.comments.get(number) ?? [];
  world.comments.set(number, list);
  if (method === 'GET') {
    const [size, page] = [Number(query.get('per_page')), Number(query.get('page'))];
    return { status: 200, body: list.slice((page - 1) * size, page * size).map(present) };
  }
  const { body } = JSON.parse(text);
  if (typeof body !== 'string' || body.length > 65_536) return reject(422, 'body is too long');
  const comment = { id: ++world.changes, author: DOCKBELL_ACCOUNT, body };
  list.push(comment);
  return { status: 201, body: present(comment) };
}

function changeComment(world: World, id: number, text: string): Answer {
  const comment = [...world.comments.values()].flat().find((each) => each.id === id);
  if (comment === undefined) return reject(404, 'Not Found');
  if (comment.author !== DOCKBELL_ACCOUNT) return reject(403, 'not your comment');
  comment.body = JSON.parse(text).body;
  return { status: 200, body: { id } };
}
