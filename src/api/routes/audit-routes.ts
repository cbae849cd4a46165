import type { FastifyInstance } from 'fastify';
import type { AuditEntry } from '../../core/audit.ts';
import { formatInstant } from '../../core/clock.ts';
import { requireRole } from '../access-rules.ts';
import type { PageQuery } from '../page-query.ts';
import { pageQuerySchema, presentPage, readPage } from '../page-query.ts';
import { listOf } from '../schemas.ts';
import type { AdminServices } from '../services.ts';

const text = { type: 'string', minLength: 1, maxLength: 512 };

/** The audit log: who changed what, when, from where; and who signed in. */
export function registerAuditRoutes(app: FastifyInstance, services: AdminServices): void {
  app.get<{ Querystring: PageQuery & { actor?: string; object?: string } }>(
    '/audit',
    {
      config: { access: requireRole('owner', 'team') },
      schema: {
        tags: ['Audit log'],
        summary: 'List changes and sign-ins, newest first',
        querystring: pageQuerySchema({
          actor: { ...text, description: 'ID of a user, an API token or a login link.' },
          object: {
            ...text,
            description: 'Path of an object, with all below it: `secrets/A_SECRET`, `factories/payments`.',
          },
        }),
        response: { 200: listOf('AuditEntry') },
      },
    },
    async ({ query }) => {
      const request = { ...readPage(query), actor: query.actor ?? null, object: query.object ?? null };
      return presentPage(await services.auditLog.list(request), presentEntry);
    },
  );
}

function presentEntry({ id, at, actor, method, route, object, changes, status, clientAddress }: AuditEntry) {
  const who = actor === null ? null : { kind: actor.kind, id: actor.id, name: actor.name };
  const outcome = status < 400 ? 'done' : status < 500 ? 'refused' : 'failed';
  return {
    ...{ id, at: formatInstant(at), actor: who, method, route, object, changes },
    ...{ outcome, status, client_address: clientAddress },
  };
}
