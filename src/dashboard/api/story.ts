import { queryOptions } from '@tanstack/react-query';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';

/**
 * Why an object is in its state.
 *
 * @param factory `null` for a secret, which belongs to the team
 * @param ref an ID, or an exact form such as `automation:NAME`
 */
export function storyQuery(factory: string | null, ref: string) {
  return queryOptions({
    queryKey: ['factory', factory, 'story', ref],
    queryFn: () => {
      const params = { path: { ref }, query: { factory: factory ?? undefined } };
      return readAnswer(api.GET('/api/v1/why/{ref}', { params }));
    },
  });
}
