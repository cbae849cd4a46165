import type { FastifyInstance } from 'fastify';
import { AppError } from '../../core/errors.ts';
import { factoryOfEvent, type LiveEvent } from '../../core/live-event.ts';
import { presentRun } from '../../core/present-run.ts';
import { requireRole } from '../access-rules.ts';
import { type Authenticator, reachesFactory } from '../auth/authenticator.ts';
import { EventStream, type PresentEvent } from '../event-stream.ts';
import { querySchema } from '../page-query.ts';
import { presentDelivery } from '../present/present-delivery.ts';
import { presentReconciliation } from '../present/present-reconciliation.ts';
import { principalOf } from '../reach.ts';
import type { AdminServices } from '../services.ts';

/** Each costs a socket and up to a mebibyte. */
const MAX_STREAMS = 100;

const DESCRIPTION = `Server-sent events, each with an \`id\` and JSON as \`data\`: \`delivery\` (a Delivery was logged), \`run\` (a Run was born or changed
its state), \`reconciliation\` (a pass ended: a Reconciliation without \`plan\` and \`diagnostics\`). \`ready\` comes once nothing is
missing. A client that was cut off sends the last \`id\` as \`Last-Event-ID\` and gets what it missed; where that is not
remembered any more it gets \`reset\` and reads anew what it shows. A comment comes every 15 s.`;

/** `GET /events`: what happens in the factories that the caller reaches, as it happens. */
export function registerEventRoutes(app: FastifyInstance, services: AdminServices, authenticate: Authenticator): void {
  const open = new Set<EventStream>();
  // A listener that waits for its connections to end would wait for these for ever.
  app.addHook('preClose', async () => {
    for (const stream of open) stream.end();
  });

  app.get<{ Querystring: { factory?: string; after?: string } }>(
    '/events',
    {
      config: { access: requireRole('viewer', 'listed') },
      exposeHeadRoute: false,
      schema: {
        tags: ['Events'],
        summary: 'Follow deliveries, runs and reconciliations as they happen',
        description: DESCRIPTION,
        querystring: querySchema({
          factory: { type: 'string', minLength: 1, description: 'Only of this factory.' },
          after: {
            ...{ type: 'string', minLength: 1, maxLength: 100 },
            description:
              'In the place of `Last-Event-ID` where a client cannot set it: `last_event_id` of `GET /session`.',
          },
        }),
        response: {
          200: {
            description: 'A stream without end.',
            content: { 'text/event-stream': { schema: { type: 'string' } } },
          },
        },
      },
    },
    async (request, reply) => {
      if (open.size >= MAX_STREAMS) throw new AppError('too_many_requests', `${MAX_STREAMS} streams are open already.`);
      let principal = principalOf(request);
      const { factory, after = null } = request.query;
      const isMeant = (event: LiveEvent) => {
        const name = factoryOfEvent(event);
        return (factory === undefined || factory === name) && reachesFactory(principal, name);
      };
      // A credential that was revoked, or reaches less by now, must not go on listening.
      const stream = new EventStream(selectEvents(isMeant), async () => {
        principal = await authenticate(request, false);
      });
      open.add(stream);
      const leave = follow(services, stream, readLastEventId(request.headers['last-event-id']) ?? after);
      stream.readable.once('close', () => {
        leave();
        open.delete(stream);
      });
      return reply.header('content-type', 'text/event-stream').header('x-accel-buffering', 'no').send(stream.readable);
    },
  );
}

function readLastEventId(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && header !== '' ? header : null;
}

/** First what was missed, then what comes; answers with how to stop. */
function follow({ events }: AdminServices, stream: EventStream, after: string | null): () => void {
  const { missed, position, end } = events.subscribe(after, (event) => stream.send(event));
  for (const event of missed ?? []) stream.send(event);
  stream.mark(missed === null ? 'reset' : 'ready', position);
  return end;
}

function selectEvents(isMeant: (event: LiveEvent) => boolean): PresentEvent {
  return (event) => (isMeant(event) ? { name: event.kind, data: presentEvent(event) } : null);
}

/** A plan may be large and is read by few: it stays with the reconciliation. */
function presentEvent(event: LiveEvent): object {
  if (event.kind === 'delivery') return presentDelivery(event.delivery);
  if (event.kind === 'run') return presentRun(event.run);
  const { plan, diagnostics, ...rest } = presentReconciliation(event.reconciliation);
  return rest;
}
