// The room of the typed client of the management API, for commands, workers and the dashboard. It runs in a browser, too.
// In: requests by path, typed by the OpenAPI document. Out: answers, read by `read-answer.ts`, which throws the problem of an
// answer as an error.
// Next: `list-rows.ts` for pages of lists, `create-once.ts` for requests that must not be doubled.

import createClient, { type Client, type ClientOptions } from 'openapi-fetch';
import type { paths } from './openapi.d.ts';
import { describeProblem, RequestFailed } from './read-answer.ts';

/** The management API, typed by its OpenAPI document. Read its answers with `readAnswer`. */
export type ApiClient = Client<paths>;

/** A client of the management API at `baseUrl`, without `/api/v1`. Everything else is as openapi-fetch takes it. */
export function createApiClient(options: ClientOptions): ApiClient {
  return createClient<paths>({ ...options, pathSerializer: fillPath });
}

/** Throws `RequestFailed` for a segment that no resource has: URL parsers resolve `..`, so it would change the path. */
function fillPath(path: string, values: Record<string, unknown>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const segment = String(values[name]);
    if (segment !== '' && segment !== '.' && segment !== '..') return encodeURIComponent(segment);
    throw new RequestFailed(describeProblem('Bad request', `'${segment}' is not a name or an ID.`, 0, 'bad_request'));
  });
}
