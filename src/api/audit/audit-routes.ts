import type { FastifyInstance } from 'fastify';
import {
  AUDIT_INCLUDES,
  AUDIT_OUTCOMES,
  type AuditEntry,
  type AuditInclude,
  type AuditOutcome,
  outcomeOf,
} from '../../domain/access/audit.ts';
import type { AuditLog, AuditRequest } from '../../domain/ports/access.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { describeAction } from '../openapi/operations.ts';
import { listOf } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { INSTANT, parseInstant } from '../server/instants.ts';
import { type PageQuery, pageQuerySchema, presentPage, readPage } from '../server/page-query.ts';

interface AuditQuery extends PageQuery {
  actor?: string;
  object?: string;
  outcome?: AuditOutcome;
  include?: AuditInclude;
  from?: string;
  to?: string;
}

const text = { type: 'string', minLength: 1, maxLength: 512 };

/** The audit log: who changed what, when, from where; who signed in; and who read contents. */
export function auditPlugin(app: FastifyInstance, auditLog: Pick<AuditLog, 'list'>): void {
  app.get<{ Querystring: AuditQuery }>(
    '/audit',
    {
      config: { access: requireRole('owner', 'team') },
      schema: {
        tags: ['Audit log'],
        summary: 'List changes, sign-ins and reads, newest first',
        querystring: pageQuerySchema({
          actor: { ...text, description: 'ID of a user, an API token or a login link.' },
          object: {
            ...text,
            description: 'Path of an object, including everything below it: `secrets/A_SECRET`, `factories/payments`.',
          },
          outcome: { type: 'string', enum: [...AUDIT_OUTCOMES], description: 'Outcome of the request.' },
          include: {
            type: 'string',
            enum: [...AUDIT_INCLUDES],
            default: 'changes',
            description:
              '`changes` includes sign-ins. `reads`: who read payloads, logs and artifacts. There is one entry per reader, object and day (UTC).',
          },
          from: { ...INSTANT, description: 'At this time or later.' },
          to: { ...INSTANT, description: 'Before this time.' },
        }),
        response: { 200: listOf('AuditEntry') },
      },
    },
    async ({ query }) => presentPage(await auditLog.list(readRequest(query)), presentEntry),
  );
}

function readRequest({ actor, object, outcome, include, from, to, ...page }: AuditQuery): AuditRequest {
  return {
    ...readPage(page),
    actor: actor ?? null,
    object: object ?? null,
    outcome: outcome ?? null,
    include,
    fromAt: from === undefined ? undefined : parseInstant(from, 'from'),
    untilAt: to === undefined ? undefined : parseInstant(to, 'to'),
  };
}

function presentEntry({ id, at, actor, method, route, object, changes, status, clientAddress }: AuditEntry) {
  const who = actor === null ? null : { kind: actor.kind, id: actor.id, name: actor.name };
  return {
    id,
    at: formatInstant(at),
    actor: who,
    action: describeAction(method, route),
    method,
    route,
    object,
    changes,
    outcome: outcomeOf(status),
    status,
    client_address: clientAddress,
  };
}
