import { queryOptions } from '@tanstack/react-query';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';

/** The open pull requests of a factory and their last checks. For factories whose pull requests are checked. */
export function pullRequestsQuery(factory: string) {
  return queryOptions({
    queryKey: ['factory', factory, 'pull-requests'],
    queryFn: () => readAnswer(api.GET('/api/v1/factories/{factory}/pull-requests', { params: { path: { factory } } })),
  });
}
