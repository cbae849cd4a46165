import type { FastifyInstance } from 'fastify';
import { SECRET_NAME_PATTERN } from '../../core/names.ts';
import { SecretValue } from '../../core/secret-value.ts';
import { requireRole } from '../access-rules.ts';
import type { PageQuery } from '../page-query.ts';
import { pageOf, presentPage, querySchema, SHORT_LIST_QUERY } from '../page-query.ts';
import { presentSecret } from '../present/present-access.ts';
import { listOf, refTo } from '../schemas.ts';
import type { AdminServices } from '../services.ts';

const tags = ['Secrets'];
const MAX_VALUE_CHARACTERS = 65_536;

const secretBodySchema = {
  type: 'object',
  required: ['value'],
  additionalProperties: false,
  properties: {
    value: { type: 'string', minLength: 1, maxLength: MAX_VALUE_CHARACTERS, description: 'Never returned.' },
  },
};

const nameSchema = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', pattern: SECRET_NAME_PATTERN.source } },
};

/** Team secrets: put, listed by name, deleted. No route at any role returns a value (threat model S3). */
export function registerSecretRoutes(app: FastifyInstance, services: AdminServices): void {
  const config = { access: requireRole('owner', 'team') };

  app.get<{ Querystring: PageQuery }>(
    '/secrets',
    {
      config,
      schema: {
        tags,
        summary: 'List secrets, without values',
        querystring: SHORT_LIST_QUERY,
        response: { 200: listOf('Secret') },
      },
    },
    async (request) =>
      presentPage(
        pageOf(await services.secrets.list(), request.query, ({ name }) => name),
        presentSecret,
      ),
  );

  app.put<{ Params: { name: string }; Querystring: { mode?: 'create' | 'update' }; Body: { value: string } }>(
    '/secrets/:name',
    {
      config,
      schema: {
        tags,
        summary: 'Store a secret',
        description:
          'Creates or replaces; with `mode` only the one (`conflict` where it exists) or the other (`not_found` where it does not).',
        params: nameSchema,
        querystring: querySchema({ mode: { type: 'string', enum: ['create', 'update'] } }),
        body: secretBodySchema,
        response: { 200: refTo('SecretStored'), 201: refTo('SecretStored'), 409: refTo('Problem') },
      },
    },
    async (request, reply) => {
      const { name } = request.params;
      const value = new SecretValue(request.body.value);
      const { created, version } = await services.secrets.put(name, value, request.query.mode ?? 'put');
      return reply.code(created ? 201 : 200).send({ name, version, created });
    },
  );

  app.delete<{ Params: { name: string }; Querystring: { force?: boolean } }>(
    '/secrets/:name',
    {
      config,
      schema: {
        tags,
        summary: 'Delete a secret',
        description:
          'Refused while a webhook names it or an automation lists it, unless `force=true`; that webhook keeps its pinned value until it next applies, runs of that automation fail.',
        querystring: querySchema({ force: { type: 'boolean', default: false } }),
        response: { 204: { type: 'null', description: 'Deleted.' }, 409: refTo('Problem') },
      },
    },
    async (request, reply) => {
      await services.secrets.delete(request.params.name, { force: request.query.force === true });
      return reply.code(204).send();
    },
  );
}
