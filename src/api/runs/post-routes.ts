import type { FastifyInstance } from 'fastify';
import { isRunReport, type Notice } from '../../domain/messages/notice.ts';
import type { NoticeQueue } from '../../domain/ports/messages.ts';
import type { RunReader } from '../../domain/ports/run-queue.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { closedObject, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { findReadableRun } from './find-reached-run.ts';

interface PostRouteParts {
  runs: RunReader;
  notices: Pick<NoticeQueue, 'ofRun'>;
}

/** What was posted about runs to the targets in `runs.results`. */
export function registerPostRoutes(app: FastifyInstance, { runs, notices }: PostRouteParts): void {
  app.get<{ Params: { id: string } }>(
    '/runs/:id/posts',
    {
      config: { access: requireRole('viewer', 'object') },
      schema: {
        tags: ['Runs'],
        summary: 'Show where the results of a run were posted',
        description:
          'One entry for each attempt and target of `runs.results`, also if nothing is posted. Entries are deleted after 90 days.',
        response: {
          200: closedObject(
            { data: { type: 'array', items: refTo('RunPost') } },
            { description: 'The posts, oldest first.' },
          ),
        },
      },
    },
    async (request) => {
      const { factory, id } = await findReadableRun(request, runs);
      return { data: (await notices.ofRun(factory, id)).flatMap(presentPost) };
    },
  );
}

function presentPost({ report, state, problem, dueAt, createdAt }: Notice) {
  if (!isRunReport(report)) return [];
  const { repository = null, commit = null, number = null } = report.place ?? {};
  return [
    {
      attempt: report.run.attempt,
      target: report.target ?? '',
      repository,
      commit,
      number,
      state,
      problem,
      retry_at: state === 'waiting' ? formatInstant(dueAt) : null,
      created_at: formatInstant(createdAt),
    },
  ];
}
