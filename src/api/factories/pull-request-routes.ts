import type { FastifyInstance } from 'fastify';
import type { PullRequestReader, PullRequestView } from '../../domain/applies/pull-request.ts';
import { AppError } from '../../domain/errors.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { factoryOf } from '../server/reach.ts';

/** `GET /factories/{factory}/pull-requests`: the open pull requests and their last checks. */
export function registerPullRequestRoutes(app: FastifyInstance, pullRequests: PullRequestReader): void {
  app.get(
    '/factories/:factory/pull-requests',
    {
      config: { access: requireRole('viewer', 'factory') },
      schema: {
        tags: ['Factories'],
        summary: 'List the open pull requests and their last checks',
        description:
          'Of a factory with `pullRequests` in `dockbell.yaml`; otherwise 404. The newest comes first. The list is that of the last answer of the git host.',
        response: { 200: refTo('PullRequests'), 404: refTo('Problem') },
      },
    },
    async (request) => {
      const { name } = factoryOf(request);
      const list = pullRequests.list(name);
      if (list === null) {
        const message = `The pull requests of ${name} are not checked. Add pullRequests to the factory in dockbell.yaml.`;
        throw new AppError('not_found', message);
      }
      return {
        factory: name,
        host: list.host,
        repository: list.repository,
        branch: list.branch,
        listed_at: list.listedAt === null ? null : formatInstant(list.listedAt),
        problem: list.problem,
        has_more: list.hasMore,
        data: list.requests.map(presentPullRequest),
        next_cursor: null,
      };
    },
  );
}

function presentPullRequest(view: PullRequestView) {
  const { number, title, url, head, isFork, state, description, checkedAt, posts } = view;
  return {
    number,
    title,
    url,
    head,
    fork: isFork,
    state,
    description,
    checked_at: checkedAt === null ? null : formatInstant(checkedAt),
    posts,
  };
}
