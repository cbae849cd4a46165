import type { FastifyInstance } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import { type ActivityReader, HOUR_MS, MAX_ACTIVITY_MS } from '../../domain/ports/delivery-log.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { INSTANT, parseInstant } from '../server/instants.ts';
import { querySchema } from '../server/page-query.ts';
import { factoryOf } from '../server/reach.ts';
import { collectActivity, presentActivity } from './collect-activity.ts';

interface ActivityQuery {
  from?: string;
  to?: string;
  bucket: 'hour';
}

const DAY_MS = 24 * HOUR_MS;

interface ActivityRouteParts {
  activity: ActivityReader;
  clock: Pick<Clock, 'wallMs'>;
}

/** `GET /factories/{factory}/activity`: numbers for charts. */
export function registerActivityRoutes(app: FastifyInstance, parts: ActivityRouteParts): void {
  app.get<{ Querystring: ActivityQuery }>(
    '/factories/:factory/activity',
    {
      config: { access: requireRole('viewer', 'factory') },
      schema: {
        tags: ['Factories'],
        summary: 'Count deliveries by label and runs by state, hour by hour',
        description:
          'Whole hours, at most 31 days. Without `from`, the 24 hours before `to`; without `to`, until now. Deliveries are counted when they arrive, also those that are no longer in the log; replays are not counted. Runs are counted in the hour in which they were created, under their current state.',
        querystring: querySchema({
          from: { ...INSTANT, description: 'Its hour is the first one.' },
          to: { ...INSTANT, description: 'Its hour is the last one, unless the hour begins at this time.' },
          bucket: { type: 'string', enum: ['hour'], default: 'hour' },
        }),
        response: { 200: refTo('Activity') },
      },
    },
    async (request) => {
      const span = { factory: factoryOf(request).name, ...readSpan(request.query, parts.clock.wallMs()) };
      return presentActivity(span, await collectActivity(parts.activity, span));
    },
  );
}

function readSpan({ from, to }: ActivityQuery, nowMs: number): { fromAt: number; untilAt: number } {
  const end = to === undefined ? nowMs : parseInstant(to, 'to');
  const untilAt = Math.ceil(end / HOUR_MS) * HOUR_MS;
  const fromAt = from === undefined ? untilAt - DAY_MS : Math.floor(parseInstant(from, 'from') / HOUR_MS) * HOUR_MS;
  if (fromAt >= untilAt) throw new AppError('bad_request', '"from" is not before "to".');
  if (untilAt - fromAt > MAX_ACTIVITY_MS) {
    throw new AppError('bad_request', '"from" and "to" are more than 31 days apart: ask for less.');
  }
  return { fromAt, untilAt };
}
