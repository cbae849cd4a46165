import { GITLAB as TRIGGERS } from '../../../definitions/triggers/providers/gitlab.ts';
import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import type { HookProvider, HookRegistry, RegisteredHook, WantedHook } from '../hook-provider.ts';
import type { ApiAnswer, ProviderApi } from '../provider-api.ts';
import { GITLAB_EVENTS, GROUP_EVENTS } from './gitlab-events.ts';

const PAGE = 100;
/** GitLab allows 100 webhooks per project and 50 per group by default. */
const MAX_PAGES = 50;
const PATH = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_.][A-Za-z0-9_.-]*)*$/;
const MAX_PATH_CHARACTERS = 1000;

/** The attribute that takes the secret, by scheme; and the one that says whether a webhook has it. */
const SECRET_ATTRIBUTES: Readonly<Record<string, readonly [string, string]>> = {
  gitlab: ['token', 'token_present'],
  gitlab_signing: ['signing_token', 'signing_token_present'],
};

const NEEDS =
  'the scope api and the role Maintainer of the project, or Owner of the group (group webhooks need a paid plan)';

/** https://docs.gitlab.com/api/project_webhooks/ and https://docs.gitlab.com/api/group_webhooks/ */
export const GITLAB: HookProvider = {
  title: TRIGGERS.title,
  apiUrl: 'https://gitlab.com/api/v4',
  apiEnding: '/api/v4',
  schemes: TRIGGERS.schemes,
  bodyFormats: ['json'],
  targetForms: 'the path of a project or of a group, such as acme/api or acme',
  events: GITLAB_EVENTS,
  enableByHand: 'GitLab disabled the webhook after failed deliveries. Open it at GitLab and select Test.',
  authorize: (token) => `Bearer ${token}`,
  open: (api, target, scheme) =>
    PATH.test(target) && target.length <= MAX_PATH_CHARACTERS ? openTarget(api, target, scheme) : null,
};

function openTarget(api: ProviderApi, target: string, scheme: string): HookRegistry {
  const id = encodeURIComponent(target);
  // A path without a slash is a group. Any other one may be a project or a group.
  const bases = target.includes('/') ? [`/projects/${id}`, `/groups/${id}`] : [`/groups/${id}`];
  const read = (json: unknown) => readHook(json, scheme) ?? api.rejectForm('webhook');
  const list = async (base: string, page: number) => api.send('GET', `${base}/hooks?per_page=${PAGE}&page=${page}`);
  let base = bases[0]!;
  const change = async (method: 'POST' | 'PUT', path: string, body: JsonObject) => {
    const answer = await api.send(method, path, body);
    if (answer.status !== (method === 'POST' ? 201 : 200)) api.reject(answer, { target, needs: NEEDS });
    return read(answer.json);
  };
  return {
    target,
    list: async () => {
      let first: ApiAnswer | null = null;
      for (base of bases) {
        first = await list(base, 1);
        if (first.status !== 404) break;
      }
      const hooks: RegisteredHook[] = [];
      for (let page = 1; page <= MAX_PAGES; page += 1) {
        const answer = page === 1 ? first! : await list(base, page);
        if (answer.status !== 200) api.reject(answer, { target, needs: NEEDS });
        if (!Array.isArray(answer.json)) return api.rejectForm('list of webhooks');
        hooks.push(...answer.json.map((json) => readHook(json, scheme)).filter((hook) => hook !== null));
        if (!answer.headers['x-next-page']) return hooks;
      }
      return api.rejectForm(`end of its list of webhooks after ${MAX_PAGES} pages`);
    },
    create: (wanted) => {
      const names = base.startsWith('/groups/')
        ? GITLAB_EVENTS.all
        : GITLAB_EVENTS.all.filter((name) => !GROUP_EVENTS.includes(name));
      return change('POST', `${base}/hooks`, { ...describe(wanted, names), ...withSecret(wanted) });
    },
    update: ({ id: hook, knownEvents }, wanted, fields) => {
      const body = describe(wanted, new Set([...(knownEvents ?? []), ...wanted.events]));
      // A secret that is omitted stays.
      const secret = fields.has('secret') ? withSecret(wanted) : {};
      return change('PUT', `${base}/hooks/${encodeURIComponent(hook)}`, { ...body, ...secret });
    },
  };
}

/** Each event is on or off. */
function describe({ url, events }: WantedHook, names: Iterable<string>): JsonObject {
  const switches = [...names].map((name) => [name, events.includes(name)] as const);
  return { url, enable_ssl_verification: true, ...Object.fromEntries(switches) };
}

function withSecret({ scheme, secret }: WantedHook): JsonObject {
  return { [SECRET_ATTRIBUTES[scheme]![0]]: secret.reveal() };
}

function readHook(json: unknown, scheme: string): RegisteredHook | null {
  if (!isJsonObject(json) || typeof json.id !== 'number' || typeof json.url !== 'string') return null;
  const reported = GITLAB_EVENTS.all.filter((name) => typeof json[name] === 'boolean');
  return {
    id: String(json.id),
    url: json.url,
    contentType: 'json',
    events: reported.filter((name) => json[name] === true).sort(),
    knownEvents: reported,
    // GitLab disables webhooks for some time, or until a person tests them.
    active: json.alert_status === undefined || json.alert_status === 'executable',
    verifiesTls: typeof json.enable_ssl_verification === 'boolean' ? json.enable_ssl_verification : null,
    secret: readSecretState(json, scheme),
  };
}

function readSecretState(json: JsonObject, scheme: string): RegisteredHook['secret'] {
  const present = json[SECRET_ATTRIBUTES[scheme]![1]];
  if (typeof present === 'boolean') return present ? 'set' : 'missing';
  // Versions without this attribute do not report whether a token is set, and have no signing tokens.
  return scheme === 'gitlab_signing' ? 'missing' : 'unknown';
}
