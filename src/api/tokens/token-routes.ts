import type { FastifyInstance } from 'fastify';
import type { Role } from '../../core/access.ts';
import { ROLES } from '../../core/access.ts';
import { AppError } from '../../core/errors.ts';
import type { TokenId } from '../../core/ids.ts';
import type { InventoryReader } from '../../core/ports/definitions/inventory.ts';
import { presentToken } from '../auth/present-access.ts';
import { listOf, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { locate } from '../server/locate.ts';
import type { PageQuery } from '../server/page-query.ts';
import { pageOf, presentPage, SHORT_LIST_QUERY } from '../server/page-query.ts';
import { requireKnownFactories } from '../users/require-known.ts';
import { createApiToken, type TokenParts } from './create-api-token.ts';

export interface TokenRouteParts extends TokenParts {
  inventory: Pick<InventoryReader, 'factories'>;
}

const tags = ['Tokens'];

interface TokenBody {
  name: string;
  role: Role;
  factories?: string[] | null;
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
    role: { type: 'string', enum: [...ROLES], description: 'Each role holds the earlier ones.' },
    factories: {
      type: ['array', 'null'],
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string' },
      description: 'Names of the factories it is limited to; omit it for all.',
    },
  },
};

/** API tokens. The text of a token is shown once, when it is created. */
export async function tokensPlugin(app: FastifyInstance, parts: TokenRouteParts): Promise<void> {
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
      config: { ...config, idempotent: true },
      schema: { tags, summary: 'Create an API token', body: tokenBodySchema, response: { 201: refTo('NewToken') } },
    },
    async (request, reply) => {
      const { name, role, factories = null } = request.body;
      await requireKnownFactories(parts.inventory, factories ?? []);
      const { record, token } = await createApiToken(parts, { name, role, factories });
      void reply.code(201).header('location', locate('tokens', record.id));
      return reply.send({ ...presentToken(record), token });
    },
  );

  app.delete<{ Params: { id: string } }>(
    '/tokens/:id',
    {
      config,
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
