import type { components } from '../../api-types/openapi.d.ts';

/** A problem document (RFC 9457) as the management API sends it. */
export type Problem = components['schemas']['Problem'];

/** A request that was refused, or got no answer. */
export class RequestFailed extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The data of an answer. Throws `RequestFailed` for every other outcome. */
export async function readAnswer<T>(
  request: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<NonNullable<T>> {
  const { data, error, response } = await request.catch((cause: unknown) => {
    throw new RequestFailed(describeSilence(cause));
  });
  if (error !== undefined || !response.ok) throw new RequestFailed(readProblem(error, response));
  return (data ?? null) as NonNullable<T>;
}

/** The problem document of whatever a query or a change threw. */
export function toProblem(error: unknown): Problem {
  if (error instanceof RequestFailed) return error.problem;
  return describe('The dashboard failed', error instanceof Error ? error.message : String(error), 0, 'dashboard');
}

/** Did the server say that this does not exist? */
export function isNotFound(error: unknown): boolean {
  return error instanceof RequestFailed && error.problem.status === 404;
}

function readProblem(body: unknown, response: Response): Problem {
  const isProblem = typeof body === 'object' && body !== null && 'title' in body && 'detail' in body;
  if (isProblem) return body as Problem;
  return describe('Unexpected answer', `The daemon answered with ${response.status}.`, response.status, 'unexpected');
}

function describeSilence(cause: unknown): Problem {
  const why = cause instanceof Error ? cause.message : String(cause);
  return describe('No answer from the daemon', `It may be stopped, or the network is down (${why}).`, 0, 'no_answer');
}

function describe(title: string, detail: string, status: number, code: string): Problem {
  return { type: `urn:dockbell:problem:${code.replaceAll('_', '-')}`, title, detail, status, code };
}
