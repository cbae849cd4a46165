import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../core/errors.ts';
import type { DeliveryId, RunId } from '../../core/ids.ts';
import type { RunLogReader } from '../../core/ports/runs/executor.ts';
import type { RunControl } from '../../core/ports/runs/run-control.ts';
import { MAX_EXAMINED_RUNS, type RunReader } from '../../core/ports/runs/run-queue.ts';
import { RUN_STATES, type Run, type RunInput, type RunState } from '../../core/resources/run.ts';
import { PAYLOAD_FILE } from '../../run/envelope.ts';
import { listOf, noBody, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { INSTANT, parseInstant } from '../server/instants.ts';
import { type PageQuery, pageQuerySchema, querySchema, readPage } from '../server/page-query.ts';
import { actorOf, factoryOf, requireReached } from '../server/reach.ts';
import { PAYLOAD_RESPONSE, sendPayload } from '../server/send-payload.ts';
import { presentRunInput } from './present-run-input.ts';
import { presentOneRun, presentRuns } from './present-runs.ts';

export interface RunRouteParts {
  runs: RunReader;
  runControl: RunControl;
  runLogs: RunLogReader;
}

const tags = ['Runs'];
type RunRequest = FastifyRequest<{ Params: { id: string } }>;

/** Runs: reads, cancel, retry. */
export function registerRunRoutes(app: FastifyInstance, parts: RunRouteParts): void {
  const findRun = async (request: RunRequest): Promise<Run> =>
    requireReached(request, 'run', await parts.runs.get(request.params.id as RunId));
  registerRunList(app, parts);
  registerRunInput(app, parts, findRun);
  registerRunLog(app, parts, findRun);
  registerRunCancel(app, parts, findRun);
  registerRunRetry(app, parts, findRun);

  app.get<{ Params: { id: string } }>(
    '/runs/:id',
    {
      config: { access: requireRole('viewer', 'object') },
      schema: { tags, summary: 'Show a run', response: { 200: refTo('Run') } },
    },
    async (request) => presentOneRun(await findRun(request), parts),
  );
}

interface RunQuery extends PageQuery {
  state?: RunState;
  automation?: string;
  delivery?: string;
  webhook?: string;
  revision?: string;
  since?: string;
}

function registerRunList(app: FastifyInstance, parts: RunRouteParts): void {
  app.get<{ Querystring: RunQuery }>(
    '/factories/:factory/runs',
    {
      config: { access: requireRole('viewer', 'factory') },
      schema: {
        tags,
        summary: 'List the runs of a factory, newest first',
        description: `A page examines at most ${MAX_EXAMINED_RUNS} runs. It can have fewer runs than \`limit\`, or none, although \`next_cursor\` is not \`null\`.`,
        querystring: pageQuerySchema({
          state: { type: 'string', enum: [...RUN_STATES] },
          automation: { type: 'string', minLength: 1 },
          delivery: { type: 'string', minLength: 1, maxLength: 100, description: 'ID of a delivery.' },
          webhook: {
            type: 'string',
            minLength: 1,
            maxLength: 255,
            description: 'Name or UID of a webhook. The UID finds deleted webhooks too.',
          },
          revision: {
            type: 'string',
            minLength: 1,
            maxLength: 64,
            description: 'The revision that was live, or its first characters.',
          },
          since: { ...INSTANT, description: 'Created at this time or later.' },
        }),
        response: { 200: listOf('Run') },
      },
    },
    async (request) => {
      const { since, delivery, cursor: _, limit: __, ...filters } = request.query;
      const wanted = {
        ...readPage(request.query),
        ...filters,
        factory: factoryOf(request).name,
        delivery: delivery as DeliveryId | undefined,
        sinceAt: since === undefined ? undefined : parseInstant(since, 'since'),
      };
      const { data, nextCursor } = await parts.runs.list(wanted);
      return { data: await presentRuns(data, parts), next_cursor: nextCursor };
    },
  );
}

type FindRun = (request: RunRequest) => Promise<Run>;

function registerRunInput(app: FastifyInstance, parts: RunRouteParts, findRun: FindRun): void {
  const access = requireRole('viewer', 'object');
  const findInput = async (request: RunRequest): Promise<RunInput> => {
    const input = await parts.runs.input((await findRun(request)).id);
    if (input === null) throw new AppError('not_found', 'The input of this run is no longer stored.');
    return input;
  };

  app.get<{ Params: { id: string } }>(
    '/runs/:id/input',
    {
      config: { access },
      schema: { tags, summary: 'Show what a run was given', response: { 200: refTo('RunInput') } },
    },
    async (request) => presentRunInput(await findInput(request)),
  );

  app.get<{ Params: { id: string } }>(
    `/runs/:id/attachments/${PAYLOAD_FILE}`,
    {
      config: { access },
      schema: { tags, summary: 'Download the payload of a run', response: { 200: PAYLOAD_RESPONSE } },
    },
    async (request, reply) => sendPayload(reply, PAYLOAD_FILE, (await findInput(request)).payload),
  );
}

function registerRunLog(app: FastifyInstance, parts: RunRouteParts, findRun: FindRun): void {
  app.get<{
    Params: { id: string };
    Querystring: { offset: number; limit?: number; attempt?: number; download: boolean };
  }>(
    '/runs/:id/log',
    {
      config: { access: requireRole('viewer', 'object') },
      schema: {
        tags,
        summary: 'Read the captured output of a run',
        description:
          'Bytes from `offset` on: all, or at most `limit`. The header `X-Next-Offset` contains the offset for the next request. A run without output has an empty log. With `attempt`, only the output of that attempt, and offsets count from its beginning.',
        querystring: querySchema({
          offset: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 },
          limit: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
          attempt: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
          download: {
            type: 'boolean',
            default: false,
            description: 'The answer is an attachment, which browsers store as a file named after the run.',
          },
        }),
        response: {
          200: { description: 'Text.', content: { 'text/plain': { schema: { type: 'string' } } } },
          404: refTo('Problem'),
        },
      },
    },
    async (request, reply) => {
      const { id } = await findRun(request);
      const { offset, limit = Number.POSITIVE_INFINITY, attempt, download } = request.query;
      const { from, to } = attempt === undefined ? WHOLE_LOG : await findLogSection(parts.runs, id, attempt);
      const bytes = await readRunLog(parts.runLogs, id, from + offset, Math.min(limit, to - from - offset));
      if (download) void reply.header('content-disposition', `attachment; filename="${nameLog(id, attempt)}"`);
      return reply
        .header('x-next-offset', String(offset + bytes.length))
        .header('content-type', 'text/plain; charset=utf-8')
        .send(bytes);
    },
  );
}

function registerRunCancel(app: FastifyInstance, parts: RunRouteParts, findRun: FindRun): void {
  app.post<{ Params: { id: string } }>(
    '/runs/:id/cancel',
    {
      config: { access: requireRole('operator', 'object') },
      schema: {
        tags,
        summary: 'Cancel a run',
        description:
          'A queued run, and a run that a worker holds, is cancelled immediately (200). A run that the daemon executes is being stopped (202). A run that has ended returns 409.',
        body: noBody,
        response: { 200: refTo('Run'), 202: refTo('Run'), 409: refTo('Problem') },
      },
    },
    async (request, reply) => {
      const { id, state } = await findRun(request);
      const outcome = await parts.runControl.cancel(id);
      if (outcome === 'finished') throw new AppError('conflict', `The run had already ended as ${state}.`);
      return reply.code(outcome === 'cancelling' ? 202 : 200).send(await presentOneRun(await findRun(request), parts));
    },
  );
}

const RETRY_CONFLICTS = {
  unfinished: 'The run has not ended yet: cancel it first, or wait for its end.',
  payload_gone: 'The payload of the run is no longer stored, so the run cannot be executed again.',
} as const;

function registerRunRetry(app: FastifyInstance, parts: RunRouteParts, findRun: FindRun): void {
  app.post<{ Params: { id: string } }>(
    '/runs/:id/retry',
    {
      config: { access: requireRole('operator', 'object'), idempotent: true },
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
      const outcome = await parts.runControl.retry(id, actorOf(request));
      if (outcome === 'unfinished' || outcome === 'payload_gone') {
        throw new AppError('conflict', RETRY_CONFLICTS[outcome]);
      }
      return presentOneRun(await findRun(request), parts);
    },
  );
}

/** A file name of letters, digits, `_` and `-`: the parts of an ID, and a number. */
function nameLog(id: RunId, attempt: number | undefined): string {
  return attempt === undefined ? `${id}.log` : `${id}-attempt-${attempt}.log`;
}

/** Part of the log of a run, in bytes. */
interface LogSection {
  from: number;
  to: number;
}

const WHOLE_LOG: LogSection = { from: 0, to: Number.POSITIVE_INFINITY };

/** The output of an attempt ends where that of a later attempt begins. */
async function findLogSection(runs: Pick<RunReader, 'attempts'>, id: RunId, number: number): Promise<LogSection> {
  const attempts = (await runs.attempts([id])).get(id) ?? [];
  const from = attempts.find((attempt) => attempt.number === number)?.logOffset ?? null;
  if (from === null) {
    throw new AppError('not_found', `The log of this run has no separate output of attempt ${number}.`);
  }
  const later = attempts.flatMap(({ number: other, logOffset }) =>
    other > number && logOffset !== null ? [logOffset] : [],
  );
  return { from, to: Math.min(...later, Number.POSITIVE_INFINITY) };
}

const PIECE_BYTES = 262_144;

/** The bytes of a run's log from `offset` on, at most `limit`. Logs are capped when they are written, so all fit. */
export async function readRunLog(logs: RunLogReader, run: RunId, offset: number, limit: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  while (length < limit) {
    const piece = await logs.read(run, offset + length, Math.min(PIECE_BYTES, limit - length));
    if (piece === null || piece.length === 0) break;
    pieces.push(piece);
    length += piece.length;
  }
  return Buffer.concat(pieces);
}
