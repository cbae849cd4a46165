import { type ApiReply, type HookApi, startHookApi } from './hook-api.ts';

/** A webhook as GitLab stores it. */
interface GitlabHook {
  id: number;
  url: string;
  enable_ssl_verification: boolean;
  alert_status: 'executable' | 'disabled' | 'temporarily_disabled';
  token?: string;
  signing_token?: string;
  [event: `${string}_events`]: boolean;
}

export interface GitlabHooks extends HookApi {
  /** By path of their target, for example `/projects/acme%2Fapi`. Any other target is unknown. */
  targets: Map<string, GitlabHook[]>;
  /** Does this version have signing tokens, and report which tokens are set? */
  hasSigningTokens: boolean;
}

const PROJECT_EVENTS = [
  'push_events',
  'tag_push_events',
  'issues_events',
  'confidential_issues_events',
  'note_events',
  'confidential_note_events',
  'merge_requests_events',
  'pipeline_events',
  'job_events',
  'wiki_page_events',
  'deployment_events',
  'releases_events',
  'emoji_events',
] as const;
const PAGE = 2;

/** The REST API of GitLab for webhooks: pages, tokens that are never shown, attributes that stay unless they are sent. */
export async function startGitlabHooks(token: string): Promise<GitlabHooks> {
  const targets: GitlabHooks['targets'] = new Map();
  let lastId = 100;
  const api = await startHookApi((request, url) => {
    if (request.headers.authorization !== `Bearer ${token}`)
      return { status: 401, body: { message: '401 Unauthorized' } };
    const { pathname, searchParams } = new URL(request.path, url);
    const [, target = '', id] = /^\/api\/v4(.*)\/hooks(?:\/(\d+))?$/.exec(pathname) ?? [];
    const hooks = targets.get(target);
    const known = [...PROJECT_EVENTS, ...(target.startsWith('/groups/') ? ['subgroup_events'] : [])];
    if (hooks === undefined) return { status: 404, body: { message: '404 Project Not Found' } };
    const show = (hook: GitlabHook) => present(hook, gitlab.hasSigningTokens);
    if (request.method === 'GET') {
      const page = Number(searchParams.get('page') ?? 1);
      const next = page * PAGE < hooks.length ? String(page + 1) : '';
      return {
        status: 200,
        body: hooks.slice((page - 1) * PAGE, page * PAGE).map(show),
        headers: { 'x-next-page': next },
      };
    }
    if (typeof request.body.url !== 'string') return { status: 400, body: { error: 'url is missing' } };
    if (request.body.url.includes('//blocked.')) {
      return { status: 422, body: { message: { url: ['is blocked: Requests to the local network are not allowed'] } } };
    }
    const accepted = pick(request.body, gitlab.hasSigningTokens, known);
    if (request.method === 'POST') {
      const off = Object.fromEntries(known.map((event) => [event, event === 'push_events']));
      const hook = { ...off, id: ++lastId, alert_status: 'executable', enable_ssl_verification: true, ...accepted };
      hooks.push(hook as unknown as GitlabHook);
      return { status: 201, body: show(hook as unknown as GitlabHook) };
    }
    const hook = hooks.find((one) => one.id === Number(id));
    if (hook === undefined) return { status: 404, body: { message: '404 Not found' } } satisfies ApiReply;
    return { status: 200, body: show(Object.assign(hook, accepted)) };
  });
  const gitlab: GitlabHooks = Object.assign(api, { targets, hasSigningTokens: true });
  return gitlab;
}

/** Attributes that this version does not know are ignored. */
function pick(body: Record<string, unknown>, hasSigningTokens: boolean, events: readonly string[]) {
  const known = ['url', 'token', 'enable_ssl_verification', ...events, ...(hasSigningTokens ? ['signing_token'] : [])];
  return Object.fromEntries(Object.entries(body).filter(([name]) => known.includes(name)));
}

function present({ token, signing_token, ...hook }: GitlabHook, hasSigningTokens: boolean) {
  const present = { token_present: token !== undefined, signing_token_present: signing_token !== undefined };
  return { ...hook, ...(hasSigningTokens ? present : {}) };
}
