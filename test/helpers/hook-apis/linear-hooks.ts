import { type ApiReply, type HookApi, startHookApi } from './hook-api.ts';

/** A webhook as Linear stores it. */
export interface LinearHook {
  id: string;
  url: string;
  label?: string;
  enabled: boolean;
  resourceTypes: string[];
  secret: string;
  allPublicTeams: boolean;
  team: { key: string } | null;
}

export interface LinearHooks extends HookApi {
  hooks: LinearHook[];
  /** Keys of teams by ID. */
  teams: Map<string, string>;
}

const PAGE = 2;
const RESOURCE_TYPES = ['Attachment', 'Comment', 'Cycle', 'Customer', 'CustomerNeed', 'Document', 'Initiative'];
const MORE_TYPES = [
  'InitiativeUpdate',
  'Issue',
  'IssueLabel',
  'IssueSLA',
  'Project',
  'ProjectUpdate',
  'Reaction',
  'User',
];

/** The GraphQL API of Linear for webhooks. Errors have the form of Linear. */
export async function startLinearHooks(key: string): Promise<LinearHooks> {
  const hooks: LinearHook[] = [];
  const teams = new Map([['team-eng', 'ENG']]);
  const isRead = ({ body }: { body: { query: string } }) => body.query.startsWith('query');
  const api = await startHookApi(({ headers, body }) => {
    if (headers.authorization !== key) return fail(401, 'AUTHENTICATION_ERROR', 'Authentication required');
    const { query, variables } = body;
    const operation = /^(?:query|mutation)\s\w+\([^)]*\)\s*\{\s*(\w+)/.exec(query)?.[1];
    if (operation === 'webhooks') return listHooks(hooks, variables.after);
    if (operation === 'teams') return listTeams(teams, variables.key);
    if (operation === 'webhookCreate') return createHook(hooks, teams, variables.input);
    if (operation === 'webhookUpdate') return updateHook(hooks, variables.id, variables.input);
    return fail(400, 'GRAPHQL_VALIDATION_FAILED', `Cannot query field "${operation}"`);
  }, isRead);
  return Object.assign(api, { hooks, teams });
}

function listHooks(hooks: LinearHook[], after: string | null): ApiReply {
  const from = after === null ? 0 : Number(after);
  const pageInfo = { hasNextPage: from + PAGE < hooks.length, endCursor: String(from + PAGE) };
  return { status: 200, body: { data: { webhooks: { nodes: hooks.slice(from, from + PAGE), pageInfo } } } };
}

function listTeams(teams: Map<string, string>, key: string): ApiReply {
  const nodes = [...teams].filter(([, known]) => known === key).map(([id]) => ({ id }));
  return { status: 200, body: { data: { teams: { nodes } } } };
}

type Input = Partial<LinearHook> & { teamId?: string };

function createHook(hooks: LinearHook[], teams: Map<string, string>, { teamId, ...input }: Input): ApiReply {
  const problem = findProblem(input);
  if (problem !== null) return fail(400, 'INVALID_INPUT', problem);
  const team = teamId === undefined ? null : { key: teams.get(teamId)! };
  const scope = { allPublicTeams: input.allPublicTeams === true, team };
  const hook = { id: `hook-${hooks.length + 1}`, enabled: true, ...input, ...scope } as LinearHook;
  hooks.push(hook);
  return { status: 200, body: { data: { webhookCreate: { success: true, webhook: hook } } } };
}

function updateHook(hooks: LinearHook[], id: string, input: Input): ApiReply {
  const hook = hooks.find((one) => one.id === id);
  if (hook === undefined) return fail(400, 'INVALID_INPUT', 'Entity not found: Webhook');
  const problem = findProblem({ ...hook, ...input });
  if (problem !== null) return fail(400, 'INVALID_INPUT', problem);
  return { status: 200, body: { data: { webhookUpdate: { success: true, webhook: Object.assign(hook, input) } } } };
}

function findProblem({ url = '', resourceTypes = [] }: Input): string | null {
  if (!url.startsWith('https://')) return 'url must be a public https URL';
  const unknown = resourceTypes.find((type) => ![...RESOURCE_TYPES, ...MORE_TYPES].includes(type));
  return unknown === undefined ? null : `resourceTypes contains the unknown value ${unknown}`;
}

function fail(status: number, code: string, userPresentableMessage: string): ApiReply {
  const message =
    code === 'AUTHENTICATION_ERROR' ? 'Authentication required, not authenticated' : 'Argument Validation Error';
  return { status, body: { errors: [{ message, extensions: { code, userPresentableMessage } }], data: null } };
}
