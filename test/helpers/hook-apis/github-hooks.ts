import { type ApiReply, type HookApi, type ReceivedRequest, startHookApi } from './hook-api.ts';

/** A webhook as GitHub stores it. */
export interface GithubHook {
  id: number;
  name: string;
  active: boolean;
  events: string[];
  config: { url: string; content_type?: string; insecure_ssl?: string; secret?: string };
}

export interface GithubHooks extends HookApi {
  /** By path of their target, for example `/repos/acme/api`. Any other target is unknown. */
  targets: Map<string, GithubHook[]>;
}

const EVENTS = [
  '*',
  'push',
  'issues',
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'check_suite',
];
/** GitHub sends up to 100. Two make a list of three pages with few webhooks. */
const PAGE = 2;

/** The REST API of GitHub for webhooks: pages, masked secrets, a configuration that each change replaces. */
export async function startGithubHooks(token: string): Promise<GithubHooks> {
  const targets: GithubHooks['targets'] = new Map();
  let lastId = 100;
  const api = await startHookApi((request, url) => {
    if (request.headers.authorization !== `Bearer ${token}`)
      return { status: 401, body: { message: 'Bad credentials' } };
    const { pathname, searchParams } = new URL(request.path, url);
    const [, target = '', id] = /^(.*)\/hooks(?:\/(\d+))?$/.exec(pathname) ?? [];
    const hooks = targets.get(target);
    if (hooks === undefined) return { status: 404, body: { message: 'Not Found', status: '404' } };
    if (request.method === 'GET') return sendPage(hooks, `${url}${pathname}`, Number(searchParams.get('page') ?? 1));
    if (request.method === 'POST') return create(hooks, request.body, ++lastId);
    const hook = hooks.find((one) => one.id === Number(id));
    return hook === undefined ? { status: 404, body: { message: 'Not Found' } } : change(hooks, hook, request);
  });
  return Object.assign(api, { targets });
}

function sendPage(hooks: GithubHook[], url: string, page: number): ApiReply {
  const next = `<${url}?per_page=100&page=${page + 1}>; rel="next", <${url}?per_page=100&page=9>; rel="last"`;
  const headers: Record<string, string> = page * PAGE < hooks.length ? { link: next } : {};
  return { status: 200, body: hooks.slice((page - 1) * PAGE, page * PAGE).map(show), headers };
}

function create(hooks: GithubHook[], body: Partial<GithubHook>, id: number): ApiReply {
  const hook = { id, name: 'web', active: true, events: ['push'], ...body } as GithubHook;
  const problem = findProblem(hooks, hook);
  if (problem !== null) return reject(problem);
  hooks.push(hook);
  return { status: 201, body: show(hook) };
}

function change(hooks: GithubHook[], hook: GithubHook, { body }: ReceivedRequest): ApiReply {
  const changed = { ...hook, ...body };
  const problem = findProblem(hooks, changed);
  if (problem !== null) return reject(problem);
  Object.assign(hook, changed);
  return { status: 200, body: show(hook) };
}

function findProblem(hooks: GithubHook[], { id, events, config }: GithubHook): string | null {
  const unknown = events.find((event) => !EVENTS.includes(event));
  if (unknown !== undefined) return `The event ${unknown} is invalid`;
  const isTaken = hooks.some((other) => other.id !== id && other.config.url === config.url);
  return isTaken ? 'Hook already exists on this repository' : null;
}

function reject(message: string): ApiReply {
  const errors = [{ resource: 'Hook', code: 'custom', message }];
  return { status: 422, body: { message: 'Validation Failed', errors, status: '422' } };
}

function show({ config, ...hook }: GithubHook) {
  const { secret, content_type = 'form', insecure_ssl = '0', url } = config;
  const masked = secret === undefined ? {} : { secret: '********' };
  return { type: 'Repository', ...hook, config: { url, content_type, insecure_ssl, ...masked } };
}
