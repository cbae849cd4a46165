import type { FastifyInstance } from 'fastify';
import type { AppError } from '../../domain/errors.ts';
import { rateLimited } from '../../domain/network/rate-limit.ts';
import { type EventFeed, factoryOfEvent, type LiveEvent } from '../../domain/ports/event-feed.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import type { RunControl } from '../../domain/ports/run-control.ts';
import { type Principal, reachesFactory } from '../auth/authenticator.ts';
import { presentDelivery } from '../deliveries/present-delivery.ts';
import { refTo } from '../openapi/schemas.ts';
import { presentReconciliationEnd } from '../reconciliations/present-reconciliation.ts';
import { presentRunInPassing } from '../runs/present-runs.ts';
import { requireRole } from '../server/access-rules.ts';
import { querySchema } from '../server/page-query.ts';
import { principalOf, requireFactory } from '../server/reach.ts';
import { EventStream, type PresentEvent } from './event-stream.ts';
import { type WatchParts, watchPrincipal } from './watch-principal.ts';

interface EventRouteParts {
  events: EventFeed;
  inventory: InventoryReader;
  runControl: Pick<RunControl, 'explainWait'>;
  watch: WatchParts;
}

/** Each uses a socket and up to 1 MiB. */
const MAX_STREAMS = 100;
/** Per API token, user or login link, so that one of them cannot use all. */
const MAX_STREAMS_PER_IDENTITY = 10;

const RETRY_AFTER_SECONDS = 10;

const DESCRIPTION = `Server-sent events, each with an \`id\` and JSON as \`data\`: \`delivery\` (a Delivery was logged), \`run\` (a Run was created or
changed its state), \`reconciliation\` (a reconciliation ended: a Reconciliation without \`plan\` and \`diagnostics\`), \`pull_requests\`
(the list of pull requests of \`factory\` or a check changed: read the list again). \`ready\` is sent when nothing is missing. A client that was disconnected sends the last \`id\` as \`Last-Event-ID\` and gets the events it missed. If
they are no longer stored, it gets \`reset\` and has to reload what it shows. A comment is sent every 15 s.`;

/** `GET /events`: what happens in the factories that the caller reaches, as it happens. */
export function eventsPlugin(app: FastifyInstance, parts: EventRouteParts): void {
  const open = new Map<EventStream, Principal>();
  // A server that waits for its connections to end would wait for these forever.
  app.addHook('preClose', async () => {
    for (const stream of open.keys()) stream.end();
  });

  app.get<{ Querystring: { factory?: string; after?: string } }>(
    '/events',
    {
      config: { access: requireRole('viewer', 'listed') },
      exposeHeadRoute: false,
      schema: {
        tags: ['Events'],
        summary: 'Follow deliveries, runs, reconciliations and checks as they happen',
        description: DESCRIPTION,
        querystring: querySchema({
          factory: { type: 'string', minLength: 1, description: 'Only of this factory.' },
          after: {
            type: 'string',
            minLength: 1,
            maxLength: 100,
            description: 'For clients that cannot set `Last-Event-ID`: the `last_event_id` of `GET /session`.',
          },
        }),
        response: {
          200: {
            description: 'A stream that does not end.',
            content: { 'text/event-stream': { schema: { type: 'string' } } },
          },
          404: refTo('Problem'),
        },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request);
      const { factory, after = null } = request.query;
      if (factory !== undefined) await requireFactory(parts.inventory, principal, factory);
      requireRoom([...open.values()], principal);
      const isMeant = (event: LiveEvent) => {
        const name = factoryOfEvent(event);
        return (factory === undefined || factory === name) && reachesFactory(principal, name);
      };
      const stream = new EventStream(selectEvents(isMeant, parts));
      open.set(stream, principal);
      const unwatch = watchPrincipal(parts.watch, request, principal, () => stream.end());
      const leave = follow(parts, stream, readLastEventId(request.headers['last-event-id']) ?? after);
      stream.readable.once('close', () => {
        unwatch();
        leave();
        open.delete(stream);
      });
      return reply.header('content-type', 'text/event-stream').header('x-accel-buffering', 'no').send(stream.readable);
    },
  );
}

/** Throws `too_many_requests` if the daemon, or this identity, has as many streams as it may have. */
function requireRoom(open: readonly Principal[], { kind, id }: Principal): void {
  const own = open.filter((other) => other.kind === kind && other.id === id);
  if (own.length >= MAX_STREAMS_PER_IDENTITY)
    throw rejectStream(`${own.length} of your event streams are open`, MAX_STREAMS_PER_IDENTITY);
  if (open.length >= MAX_STREAMS) throw rejectStream(`${open.length} event streams are open`, MAX_STREAMS);
}

function rejectStream(why: string, quota: number): AppError {
  return rateLimited(`${why}, which is the maximum. Close one, or try again later.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    policy: { name: 'event-streams', quota, windowSeconds: null },
  });
}

function readLastEventId(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && header !== '' ? header : null;
}

/** Sends what was missed, then each new event. Returns a function that stops it. */
function follow({ events }: EventRouteParts, stream: EventStream, after: string | null): () => void {
  const { missed, position, end } = events.subscribe(after, (event) => stream.send(event));
  for (const event of missed ?? []) stream.send(event);
  stream.mark(missed === null ? 'reset' : 'ready', position);
  return end;
}

function selectEvents(isMeant: (event: LiveEvent) => boolean, parts: EventRouteParts): PresentEvent {
  return (event) => (isMeant(event) ? { name: event.kind, data: presentEvent(event, parts) } : null);
}

/** A plan can be large and few clients read it, so events omit it. */
function presentEvent(event: LiveEvent, parts: EventRouteParts): object {
  if (event.kind === 'delivery') return presentDelivery(event.delivery);
  if (event.kind === 'run') return presentRunInPassing(event.run, event.attempts, parts);
  return event.kind === 'reconciliation' ? presentReconciliationEnd(event.reconciliation) : { factory: event.factory };
}
