import type { FastifyInstance } from 'fastify';
import type { Actor } from '../../domain/access/access.ts';
import { AppError } from '../../domain/errors.ts';
import type { RunId } from '../../domain/ids.ts';
import type { RunControl } from '../../domain/ports/run-control.ts';
import { MAX_EXAMINED_RUNS, type RunReader, type RunSearch } from '../../domain/ports/run-queue.ts';
import { DEAD_LETTER_STATE, ENDED_STATES, type Run } from '../../domain/resources/run.ts';
import { explainRetryRejection, type RetryRejection } from '../../domain/words/runs.ts';
import { noBody, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { CURSOR, type PageQuery, pageQuerySchema, querySchema, readPage } from '../server/page-query.ts';
import { actorOf, factoryOf } from '../server/reach.ts';
import { presentOneRun } from './present-runs.ts';
import type { FindRun } from './run-log-routes.ts';
import { type RunFilters, readRunSearch, runFilterProperties } from './run-search.ts';

interface RetryRouteParts {
  runs: RunReader;
  runControl: RunControl;
}

const tags = ['Runs'];

/** Retries of one run, and of all runs that match filters. */
export function registerRetryRoutes(app: FastifyInstance, parts: RetryRouteParts, findRun: FindRun): void {
  registerRetry(app, parts, findRun);
  registerCount(app, parts);
  registerRetryOfMany(app, parts);
}

function registerRetry(app: FastifyInstance, parts: RetryRouteParts, findRun: FindRun): void {
  app.post<{ Params: { id: string } }>(
    '/runs/:id/retry',
    {
      config: { access: requireRole('operator', 'object'), idempotent: true, changes: 'stored' },
      schema: {
        tags,
        summary: 'Retry a run that has ended',
        description:
          'Queues the same run with its next `attempt`, with its original prompt and payload. Its output is appended to its log. A run that has not ended returns 409.',
        body: noBody,
        response: { 200: refTo('Run'), 409: refTo('Problem') },
      },
    },
    async (request) => {
      const { id } = await findRun(request);
      const rejection = await tryToRetry(parts, id, actorOf(request));
      if (rejection !== null) throw new AppError('conflict', explainRetryRejection(rejection));
      return presentOneRun(await findRun(request), parts);
    },
  );
}

/** Without a state, the requests about many runs are about dead letters: nobody wants to repeat all runs that succeeded. */
function readEndedSearch(factory: string, filters: RunFilters): RunSearch {
  const search = readRunSearch(factory, filters);
  return { ...search, state: search.state ?? DEAD_LETTER_STATE };
}

const MATCHING = 'Without `state`, only dead letters match.';
const EXAMINED = `A request examines at most ${MAX_EXAMINED_RUNS} runs, newest first. Repeat it with \`next_cursor\` until that is \`null\`.`;

function registerCount(app: FastifyInstance, parts: RetryRouteParts): void {
  app.get<{ Querystring: RunFilters & { cursor?: string } }>(
    '/factories/:factory/runs/retryable',
    {
      config: { access: requireRole('viewer', 'factory') },
      schema: {
        tags,
        summary: 'Count the runs that a retry of all matching runs would retry',
        description: `${MATCHING} ${EXAMINED}`,
        querystring: querySchema({ cursor: CURSOR, ...runFilterProperties(ENDED_STATES) }),
        response: { 200: refTo('RunCount') },
      },
    },
    async (request) => {
      const { cursor = null, ...filters } = request.query;
      const { count, nextCursor } = await parts.runs.count({
        ...readEndedSearch(factoryOf(request).name, filters),
        cursor,
      });
      return { count, next_cursor: nextCursor };
    },
  );
}

function registerRetryOfMany(app: FastifyInstance, parts: RetryRouteParts): void {
  app.post<{ Body: (RunFilters & PageQuery) | null }>(
    '/factories/:factory/runs/retry',
    {
      config: { access: requireRole('operator', 'factory'), idempotent: true, changes: 'stored' },
      schema: {
        tags,
        summary: 'Retry all runs that match',
        description: `Queues each matching run again as its next attempt, with its original prompt and payload. ${MATCHING} A request retries at most \`limit\` runs. ${EXAMINED} A retried run is \`queued\`, so a request that was interrupted can be sent again without the cursor.`,
        body: { ...pageQuerySchema(runFilterProperties(ENDED_STATES)), type: ['object', 'null'] },
        response: { 200: refTo('RunRetries') },
      },
    },
    async (request) => {
      const wanted = request.body ?? {};
      const search = readEndedSearch(factoryOf(request).name, wanted);
      const { data, nextCursor } = await parts.runs.list({ ...search, ...readPage(wanted) });
      const outcome = await retryEach(parts, data, actorOf(request));
      request.auditResult = { retried: outcome.retried, rejected: outcome.rejected.length };
      return { ...outcome, next_cursor: nextCursor };
    },
  );
}

async function retryEach(parts: RetryRouteParts, runs: readonly Run[], actor: Actor) {
  let retried = 0;
  const rejected: { run: RunId; reason: RetryRejection; reason_text: string }[] = [];
  for (const { id } of runs) {
    const reason = await tryToRetry(parts, id, actor);
    if (reason === null) retried += 1;
    else rejected.push({ run: id, reason, reason_text: explainRetryRejection(reason) });
  }
  return { retried, rejected };
}

/** Resolves with `null` if the run is queued again. */
async function tryToRetry({ runControl }: RetryRouteParts, id: RunId, actor: Actor): Promise<RetryRejection | null> {
  const outcome = await runControl.retry(id, actor);
  return outcome === 'queued' ? null : outcome;
}
