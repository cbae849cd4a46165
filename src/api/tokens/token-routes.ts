import type { FastifyInstance } from 'fastify';
import { TOKEN_ROLES, type TokenRole } from '../../domain/access/access.ts';
import { AppError } from '../../domain/errors.ts';
import type { TokenId } from '../../domain/ids.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import { DURATION_PATTERN, parseDuration } from '../../domain/words/quantities.ts';
import { createApiToken, type TokenParts } from '../../platform/secrets/create-api-token.ts';
import { presentToken } from '../auth/present-access.ts';
import { listOf, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { locate } from '../server/locate.ts';
import { type PageQuery, pageOf, presentPage, SHORT_LIST_QUERY } from '../server/page-query.ts';
import { requireKnownFactories } from '../users/require-known.ts';

const tags = ['Tokens'];

interface TokenBody {
  name: string;
  role: TokenRole;
  factories?: string[] | null;
  expires_in?: string | null;
  expires_at?: string | null;
}

const tokenBodySchema = {
  type: 'object',
  required: ['name', 'role'],
  additionalProperties: false,
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 100,
      pattern: '^[^\\p{Cc}\\p{Zl}\\p{Zp}]*$',
      description: 'What the token is for, without control characters.',
    },
    role: {
      type: 'string',
      enum: [...TOKEN_ROLES],
      description:
        'Each role includes the permissions of the previous ones, except `worker`, which can only execute runs.',
    },
    factories: {
      type: ['array', 'null'],
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string' },
      description: 'Names of the factories that the token can access. If omitted, it can access all.',
    },
    expires_in: {
      type: ['string', 'null'],
      pattern: DURATION_PATTERN,
      description:
        'How long it works, such as `90d`, at most 3650 days; `null` for a token that never expires. By default 90 days.',
    },
    expires_at: {
      type: ['string', 'null'],
      pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?(?:Z|[+-]\\d\\d:\\d\\d)$',
      description: 'When it expires, instead of `expires_in`.',
    },
  },
};

const DEFAULT_LIFETIME_MS = 90 * 86_400_000;
const MAX_LIFETIME_MS = 3650 * 86_400_000;

/** Wall time; `null` for a token that never expires. */
function readExpiry({ expires_in: expiresIn, expires_at: at }: TokenBody, nowMs: number): number | null {
  if (at !== undefined && expiresIn !== undefined) {
    throw new AppError('bad_request', '"expires_in" and "expires_at" exclude each other: send one of them.');
  }
  if (at === null || expiresIn === null) return null;
  const lifetimeMs = expiresIn === undefined ? DEFAULT_LIFETIME_MS : (parseDuration(expiresIn) ?? Number.NaN);
  const expiresAt = at === undefined ? nowMs + lifetimeMs : Date.parse(at);
  if (expiresAt > nowMs && expiresAt - nowMs <= MAX_LIFETIME_MS) return expiresAt;
  throw new AppError(
    'bad_request',
    'A token expires in the future and within 3650 days, or never: send null for never.',
  );
}

/** API tokens. The text of a token is shown once, when it is created. */
export function tokensPlugin(
  app: FastifyInstance,
  parts: TokenParts & { inventory: Pick<InventoryReader, 'factories'> },
): void {
  const config = { access: requireRole('owner', 'team') };

  app.get<{ Querystring: PageQuery }>(
    '/tokens',
    {
      config,
      schema: { tags, summary: 'List API tokens', querystring: SHORT_LIST_QUERY, response: { 200: listOf('Token') } },
    },
    async (request) =>
      presentPage(
        pageOf(await parts.tokens.list(), request.query, ({ id }) => id),
        presentToken,
      ),
  );

  app.post<{ Body: TokenBody }>(
    '/tokens',
    {
      config: { ...config, idempotent: true, changes: 'stored' },
      schema: { tags, summary: 'Create an API token', body: tokenBodySchema, response: { 201: refTo('NewToken') } },
    },
    async (request, reply) => {
      const { name, role, factories = null } = request.body;
      const expiresAt = readExpiry(request.body, parts.clock.wallMs());
      await requireKnownFactories(parts.inventory, factories ?? []);
      const { record, token } = await createApiToken(parts, { name, role, factories, expiresAt });
      void reply.code(201).header('location', locate('tokens', record.id));
      return reply.send({ ...presentToken(record), token });
    },
  );

  app.delete<{ Params: { id: string } }>(
    '/tokens/:id',
    {
      config: { ...config, changes: 'stored' },
      schema: {
        tags,
        summary: 'Revoke an API token',
        response: { 204: { type: 'null', description: 'Revoked, from the next request on.' } },
      },
    },
    async (request, reply) => {
      const revoked = await parts.tokens.revoke(request.params.id as TokenId);
      if (!revoked) throw new AppError('not_found', 'There is no such token.');
      return reply.code(204).send();
    },
  );
}
