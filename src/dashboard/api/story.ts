import { queryOptions } from '@tanstack/react-query';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';

/**
 * Why an object is in its state.
 *
 * @param factory `null` for a secret, which belongs to the team
 * @param ref an ID, or an exact form such as `automation:NAME`
 * @param all lists what steps sum up
 */
export function storyQuery(factory: string | null, ref: string, all: boolean) {
  return queryOptions({
    queryKey: ['factory', factory, 'story', ref, all],
    queryFn: () => {
      const params = { path: { ref }, query: { factory: factory ?? undefined, all } };
      return readAnswer(api.GET('/api/v1/why/{ref}', { params }));
    },
  });
}
