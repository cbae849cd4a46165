import { queryOptions } from '@tanstack/react-query';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';

/** The sign-in methods of the daemon. Read before signing in. */
export const signInWaysQuery = queryOptions({
  queryKey: ['sign-in'],
  queryFn: () => readAnswer(api.GET('/api/v1/sign-in')),
  staleTime: Number.POSITIVE_INFINITY,
});
