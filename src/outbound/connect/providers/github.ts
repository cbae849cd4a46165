import { GITHUB as TRIGGERS } from '../../../definitions/triggers/providers/github.ts';
import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import { findGithubPath } from '../../../domain/words/names.ts';
import type { HookProvider, HookRegistry, RegisteredHook, WantedHook } from '../hook-provider.ts';
import type { ProviderApi } from '../provider-api.ts';

const PAGE = 100;
/** GitHub allows 20 webhooks per event and target, so no target comes close. */
const MAX_PAGES = 50;
/** What GitHub shows instead of a secret. */
const MASK = /^\*+$/;

const REPOSITORY_SCOPE = 'the scope admin:repo_hook, or the permission Webhooks (read and write) of the repository';
const ORGANIZATION_SCOPE = 'the scope admin:org_hook, or the permission Webhooks (read and write) of the organization';

/** https://docs.github.com/en/rest/repos/webhooks and https://docs.github.com/en/rest/orgs/webhooks */
export const GITHUB: HookProvider = {
  title: TRIGGERS.title,
  apiUrl: 'https://api.github.com',
  schemes: TRIGGERS.schemes,
  bodyFormats: ['json', 'form'],
  targetForms: 'ORG for an organization, or ORG/REPO for a repository',
  events: {
    places: [{ ...TRIGGERS.eventName, registeredAs: null }],
    settings: { pushWebhook: 'push', pullRequests: 'pull_request' },
    all: ['*'],
    unregistrable: new Map(),
  },
  enableByHand: null,
  authorize: (token) => `Bearer ${token}`,
  open: (api, target) => {
    const path = findGithubPath(target);
    return path === null ? null : openTarget(api, target, path);
  },
};

function openTarget(api: ProviderApi, target: string, path: string): HookRegistry {
  const needs = path.startsWith('/orgs/') ? ORGANIZATION_SCOPE : REPOSITORY_SCOPE;
  const read = (json: unknown) => readHook(json) ?? api.rejectForm('webhook');
  return {
    target,
    list: async () => {
      const hooks: RegisteredHook[] = [];
      for (let page = 1; page <= MAX_PAGES; page += 1) {
        const answer = await api.send('GET', `${path}/hooks?per_page=${PAGE}&page=${page}`);
        if (answer.status !== 200) api.reject(answer, { target, needs });
        if (!Array.isArray(answer.json)) return api.rejectForm('list of webhooks');
        hooks.push(...answer.json.map(readHook).filter((hook) => hook !== null));
        if (!/;\s*rel="?next"?/.test(String(answer.headers.link ?? ''))) return hooks;
      }
      return api.rejectForm(`end of its list of webhooks after ${MAX_PAGES} pages`);
    },
    create: async (wanted) => {
      const answer = await api.send('POST', `${path}/hooks`, { name: 'web', ...describe(wanted) });
      if (answer.status !== 201) api.reject(answer, { target, needs });
      return read(answer.json);
    },
    // A secret that is omitted is removed, so the whole configuration is sent.
    update: async ({ id }, wanted) => {
      const answer = await api.send('PATCH', `${path}/hooks/${encodeURIComponent(id)}`, describe(wanted));
      if (answer.status !== 200) api.reject(answer, { target, needs });
      return read(answer.json);
    },
  };
}

function describe({ url, contentType, events, secret }: WantedHook): JsonObject {
  const config = { url, content_type: contentType, insecure_ssl: '0', secret: secret.reveal() };
  return { active: true, events, config };
}

function readHook(json: unknown): RegisteredHook | null {
  if (!isJsonObject(json) || !isJsonObject(json.config)) return null;
  const { id, active, events, config } = json;
  if (typeof id !== 'number' || !Array.isArray(events) || typeof config.url !== 'string') return null;
  return {
    id: String(id),
    url: config.url,
    // `form` is the default of GitHub.
    contentType: config.content_type === 'json' ? 'json' : 'form',
    events: events.filter((event) => typeof event === 'string').sort(),
    knownEvents: null,
    active: active === true,
    verifiesTls: String(config.insecure_ssl ?? '0') === '0',
    secret: typeof config.secret === 'string' && MASK.test(config.secret) ? 'set' : 'missing',
  };
}
