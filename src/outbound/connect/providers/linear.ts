import { LINEAR as TRIGGERS } from '../../../definitions/triggers/providers/linear.ts';
import { AppError } from '../../../domain/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../domain/json.ts';
import { SecretValue } from '../../../domain/secrets/secret-value.ts';
import type { HookProvider, HookRegistry, RegisteredHook, WantedHook } from '../hook-provider.ts';
import type { ApiAnswer, Permission, ProviderApi } from '../provider-api.ts';

const PAGE = 50;
/** Pages of one list. A workspace has few webhooks. */
const MAX_PAGES = 50;
/** The target that stands for all public teams. */
const ALL_TEAMS = 'all';
const TEAM_KEY = /^[A-Za-z0-9]{1,20}$/;

const NEEDS = 'an API key of a workspace admin, or an OAuth token with the scope admin';

/** The names of these events are those of resource types. */
const RESOURCE_TYPES = [
  'Attachment',
  'Comment',
  'Cycle',
  'Customer',
  'CustomerNeed',
  'Document',
  'Initiative',
  'InitiativeUpdate',
  'Issue',
  'IssueLabel',
  'IssueSLA',
  'Project',
  'ProjectUpdate',
  'Reaction',
  'User',
] as const;

const APP_EVENTS = ['AgentSessionEvent', 'AppUserNotification', 'PermissionChange', 'OAuthApp'];
const NAMES = new Map(RESOURCE_TYPES.map((name) => [name as string, [name]]));

/** https://linear.app/developers/webhooks and https://linear.app/developers/graphql */
export const LINEAR: HookProvider = {
  title: TRIGGERS.title,
  apiUrl: 'https://api.linear.app/graphql',
  schemes: TRIGGERS.schemes,
  bodyFormats: ['json'],
  targetForms: `the key of a team, such as ENG, or ${ALL_TEAMS} for all public teams`,
  events: {
    places: [
      { ...TRIGGERS.eventName, registeredAs: NAMES },
      { header: 'linear-event', registeredAs: NAMES },
    ],
    settings: { pushWebhook: null, pullRequests: null },
    all: RESOURCE_TYPES,
    unregistrable: new Map(
      APP_EVENTS.map((name) => [
        name,
        `Linear sends ${name} only to OAuth apps. Enter the URL and the event in the settings of the app at Linear.`,
      ]),
    ),
  },
  enableByHand: null,
  // Personal keys have no scheme in front.
  authorize: (token) => (token.startsWith('lin_api_') ? token : `Bearer ${token}`),
  open: (api, target) => {
    if (target !== ALL_TEAMS && !TEAM_KEY.test(target)) return null;
    return openTarget(api, target === ALL_TEAMS ? ALL_TEAMS : target.toUpperCase());
  },
};

const HOOK_FIELDS = 'id url enabled resourceTypes secret allPublicTeams team { key }';
const LIST = `query Webhooks($after: String) {
  webhooks(first: ${PAGE}, after: $after) { nodes { ${HOOK_FIELDS} } pageInfo { hasNextPage endCursor } }
}`;
const TEAMS = 'query Team($key: String!) { teams(first: 1, filter: { key: { eq: $key } }) { nodes { id } } }';
const CREATE = `mutation Create($input: WebhookCreateInput!) {
  webhookCreate(input: $input) { success webhook { ${HOOK_FIELDS} } }
}`;
const UPDATE = `mutation Update($id: String!, $input: WebhookUpdateInput!) {
  webhookUpdate(id: $id, input: $input) { success webhook { ${HOOK_FIELDS} } }
}`;

function openTarget(api: ProviderApi, target: string): HookRegistry {
  const permission = { target: target === ALL_TEAMS ? 'all public teams' : `the team ${target}`, needs: NEEDS };
  const ask = (query: string, variables: JsonObject, isRead: boolean) =>
    post(api, { query, variables, isRead, permission });
  const change = async (query: string, name: string, variables: JsonObject) => {
    const { [name]: payload } = await ask(query, variables, false);
    return (isJsonObject(payload) ? readHook(payload.webhook) : null) ?? api.rejectForm('webhook');
  };
  const findTeam = async () => {
    const { teams } = await ask(TEAMS, { key: target }, true);
    const [team] = readNodes(api, teams);
    if (isJsonObject(team) && typeof team.id === 'string') return team.id;
    const advice = 'Use the key in front of the numbers of its issues; the token must be able to see the team';
    throw new AppError('provider_target_unknown', `Linear shows no team with the key ${target}. ${advice}.`);
  };
  return {
    target,
    list: async () => {
      const hooks: RegisteredHook[] = [];
      let after: Json = null;
      for (let page = 1; page <= MAX_PAGES; page += 1) {
        const { webhooks } = await ask(LIST, { after }, true);
        const nodes = readNodes(api, webhooks).filter((node) => isJsonObject(node) && isOf(node, target));
        hooks.push(...nodes.map(readHook).filter((hook) => hook !== null));
        const { pageInfo } = webhooks as JsonObject;
        if (!isJsonObject(pageInfo) || pageInfo.hasNextPage !== true) return hooks;
        after = pageInfo.endCursor ?? null;
      }
      return api.rejectForm(`end of its list of webhooks after ${MAX_PAGES} pages`);
    },
    create: async (wanted) => {
      const scope: JsonObject = target === ALL_TEAMS ? { allPublicTeams: true } : { teamId: await findTeam() };
      const input = { label: 'Dockbell', ...describe(wanted), ...scope, secret: wanted.secret.reveal() };
      return change(CREATE, 'webhookCreate', { input });
    },
    update: ({ id }, wanted, fields) => {
      const secret: JsonObject = fields.has('secret') ? { secret: wanted.secret.reveal() } : {};
      return change(UPDATE, 'webhookUpdate', { id, input: { ...describe(wanted), ...secret } });
    },
  };
}

/** Each webhook belongs to a team or to all public teams. The target names which. */
function isOf({ allPublicTeams, team }: JsonObject, target: string): boolean {
  if (target === ALL_TEAMS) return allPublicTeams === true;
  return isJsonObject(team) && team.key === target;
}

function describe({ url, events }: WantedHook): JsonObject {
  return { url, enabled: true, resourceTypes: events };
}

function readHook(json: unknown): RegisteredHook | null {
  if (!isJsonObject(json) || typeof json.id !== 'string' || typeof json.url !== 'string') return null;
  const { resourceTypes, secret } = json;
  return {
    id: json.id,
    url: json.url,
    contentType: 'json',
    events: [resourceTypes ?? []]
      .flat()
      .filter((name) => typeof name === 'string')
      .sort(),
    knownEvents: null,
    active: json.enabled === true,
    verifiesTls: null,
    // Linear shows the secret to those who may change the webhook.
    secret: typeof secret === 'string' && secret !== '' ? new SecretValue(secret) : 'unknown',
  };
}

function readNodes(api: ProviderApi, connection: unknown): Json[] {
  if (isJsonObject(connection) && Array.isArray(connection.nodes)) return connection.nodes;
  return api.rejectForm('list');
}

interface Operation {
  query: string;
  variables: JsonObject;
  isRead: boolean;
  permission: Permission;
}

/** The data of an operation. GraphQL reports errors with status 200 or 400. */
async function post(api: ProviderApi, { query, variables, isRead, permission }: Operation): Promise<JsonObject> {
  const answer = await api.send('POST', '', { query, variables }, isRead);
  const { status, json } = answer;
  const errors = isJsonObject(json) && Array.isArray(json.errors) ? json.errors.filter(isJsonObject) : [];
  if (errors.length > 0) return rejectErrors(api, answer, errors, permission);
  if (status !== 200) return api.reject(answer, permission);
  return isJsonObject(json) && isJsonObject(json.data) ? json.data : api.rejectForm('data');
}

/** The status that stands for the code of an error. */
const STATUSES: Readonly<Record<string, number>> = {
  AUTHENTICATION_ERROR: 401,
  FORBIDDEN: 403,
  INTERNAL_SERVER_ERROR: 500,
};

function rejectErrors(api: ProviderApi, answer: ApiAnswer, errors: JsonObject[], permission: Permission): never {
  const details = errors.map(({ extensions }) => (isJsonObject(extensions) ? extensions : {}));
  const codes = details.map(({ code }) => String(code));
  if (codes.includes('RATELIMITED')) return api.rejectRate(answer);
  const status = codes.map((code) => STATUSES[code]).find((known) => known !== undefined) ?? 422;
  const messages = details.map(({ userPresentableMessage }, index) => userPresentableMessage ?? errors[index]!.message);
  return api.reject({ status, json: messages }, permission);
}
