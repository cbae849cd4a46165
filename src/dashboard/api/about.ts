import { queryOptions } from '@tanstack/react-query';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';

/** The version of the daemon, from its OpenAPI document. */
export const aboutQuery = queryOptions({
  queryKey: ['about'],
  queryFn: async () => {
    const document = (await readAnswer(api.GET('/api/v1/openapi.json'))) as unknown as { info: { version: string } };
    return document.info.version;
  },
  staleTime: Number.POSITIVE_INFINITY,
});
