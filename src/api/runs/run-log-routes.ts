import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import type { RunId } from '../../domain/ids.ts';
import type { LogTime, RunLogReader } from '../../domain/ports/executor.ts';
import type { RunReader } from '../../domain/ports/run-queue.ts';
import type { Run } from '../../domain/resources/run.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { querySchema } from '../server/page-query.ts';

export interface RunLogParts {
  runs: RunReader;
  runLogs: RunLogReader;
}

export type RunRequest = FastifyRequest<{ Params: { id: string } }>;
export type FindRun = (request: RunRequest) => Promise<Run>;

const tags = ['Runs'];
const access = requireRole('viewer', 'object');

/** The captured output of runs, and when it was written. */
export function registerRunLogRoutes(app: FastifyInstance, parts: RunLogParts, findRun: FindRun): void {
  registerLog(app, parts, findRun);
  registerLogTimes(app, parts, findRun);
}

function registerLog(app: FastifyInstance, parts: RunLogParts, findRun: FindRun): void {
  app.get<{
    Params: { id: string };
    Querystring: { offset: number; limit?: number; attempt?: number; download: boolean };
  }>(
    '/runs/:id/log',
    {
      config: { access, discloses: true },
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
      const { from, to } = await findLogSection(parts.runs, id, attempt);
      const bytes = await readRunLog(parts.runLogs, id, from + offset, Math.min(limit, to - from - offset));
      if (download) void reply.header('content-disposition', `attachment; filename="${nameLog(id, attempt)}"`);
      return reply
        .header('x-next-offset', String(offset + bytes.length))
        .header('content-type', 'text/plain; charset=utf-8')
        .send(bytes);
    },
  );
}

const MAX_LOG_TIMES = 10_000;

function registerLogTimes(app: FastifyInstance, parts: RunLogParts, findRun: FindRun): void {
  app.get<{ Params: { id: string }; Querystring: { offset: number; limit: number; attempt?: number } }>(
    '/runs/:id/log/times',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Read when the output of a run was written',
        description:
          'The output at and after the offset of an entry was written at its time or later, and before the time of the next entry. There is at most one entry per second, and fewer in very long logs. The first entry is the last one at or before `offset`. The time of a line is that of the last entry at or before the offset of the line. With `attempt`, offsets count from the beginning of its output. Logs that an earlier version wrote have no entries.',
        querystring: querySchema({
          offset: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 },
          limit: { type: 'integer', minimum: 1, maximum: MAX_LOG_TIMES, default: 1_000 },
          attempt: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
        }),
        response: { 200: refTo('RunLogTimes'), 404: refTo('Problem') },
      },
    },
    async (request) => {
      const { id } = await findRun(request);
      const { offset, limit, attempt } = request.query;
      const section = await findLogSection(parts.runs, id, attempt);
      // One entry more than the answer has shows whether there is another one.
      const entries = await parts.runLogs.times(id, section.from + offset, limit + 1);
      return presentLogTimes(entries, section, limit);
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
async function findLogSection(
  runs: Pick<RunReader, 'attempts'>,
  id: RunId,
  number: number | undefined,
): Promise<LogSection> {
  if (number === undefined) return WHOLE_LOG;
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

/** Offsets count from the beginning of the section. `entries` has one entry more than `limit` if the log has more. */
function presentLogTimes(entries: readonly LogTime[], { from, to }: LogSection, limit: number) {
  const inSection = entries.filter(({ offset }) => offset < to);
  const data = inSection
    .slice(0, limit)
    .map(({ offset, atMs }) => ({ offset: Math.max(0, offset - from), at: formatInstant(atMs) }));
  const next = inSection[limit];
  return { data, next_offset: next === undefined ? null : next.offset - from };
}

const PIECE_BYTES = 262_144;

/** The bytes of a run's log from `offset` on, at most `limit`. Logs are capped when they are written, so all fit. */
async function readRunLog(logs: RunLogReader, run: RunId, offset: number, limit: number): Promise<Buffer> {
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
