import { queryOptions } from '@tanstack/react-query';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';

/** The ways to sign in that this daemon has; asked before anybody is signed in. */
export const signInWaysQuery = queryOptions({
  queryKey: ['sign-in'],
  queryFn: () => readAnswer(api.GET('/api/v1/sign-in')),
  staleTime: Number.POSITIVE_INFINITY,
});
