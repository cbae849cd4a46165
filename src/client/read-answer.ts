import type { components } from './openapi.d.ts';

/** A problem document (RFC 9457), as the management API sends it. */
export type Problem = components['schemas']['Problem'];

/**
 * A request that was rejected, or that got no usable answer. Codes of the client itself: `unreachable`,
 * `unexpected_answer`, `bad_request`. `status` is 0 if the daemon did not answer; then `cause` is the error of the network.
 */
export class RequestFailed extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, options?: { cause: unknown }) {
    super(problem.detail, options);
    this.name = 'RequestFailed';
    this.problem = problem;
  }
}

/** What a call of the client returns. */
export type PendingAnswer<T> = Promise<{ data?: T; error?: unknown; response: Response }>;

/** The data of an answer. Throws `RequestFailed` for every other outcome. */
export async function readAnswer<T>(request: PendingAnswer<T>): Promise<NonNullable<T>> {
  return (await readTagged(request)).value;
}

/** The data of an answer with its `ETag`, which a change sends back. Throws `RequestFailed` for every other outcome. */
export async function readTagged<T>(
  request: PendingAnswer<T>,
): Promise<{ value: NonNullable<T>; etag: string | null }> {
  const { data, error, response } = await request.catch((cause: unknown) => {
    throw describeFailure(cause);
  });
  if (error !== undefined || !response.ok) throw new RequestFailed(readProblem(error, response));
  return { value: (data ?? null) as NonNullable<T>, etag: response.headers.get('etag') };
}

/** As `readAnswer`, but `null` if the daemon answers 404. */
export async function findAnswer<T>(request: PendingAnswer<T>): Promise<NonNullable<T> | null> {
  return readAnswer(request).catch((error: unknown) => {
    if (isNotFound(error)) return null;
    throw error;
  });
}

/** Did the daemon answer 404? */
export function isNotFound(error: unknown): boolean {
  return error instanceof RequestFailed && error.problem.status === 404;
}

/** A problem that the client reports itself. */
export function describeProblem(title: string, detail: string, status: number, code: string): Problem {
  return { type: `urn:dockbell:problem:${code.replaceAll('_', '-')}`, title, detail, status, code };
}

/** The problem of an answer with this body. Other programs may answer at the address of the daemon, so nothing in it is certain. */
export function readProblem(body: unknown, { status }: Response): Problem {
  const given: Partial<Problem> = typeof body === 'object' && body !== null ? body : {};
  const { title = 'Unexpected answer', detail = `The daemon answered with status ${status}.` } = given;
  const problem = describeProblem(String(title), String(detail), status, String(given.code ?? 'unexpected_answer'));
  return { ...given, ...problem, type: String(given.type ?? problem.type) };
}

/** Why a request got no usable answer. */
export function describeFailure(cause: unknown): RequestFailed {
  if (cause instanceof RequestFailed) return cause;
  if (cause instanceof SyntaxError) {
    const detail = 'The answer is not JSON, so it did not come from a Dockbell daemon.';
    return new RequestFailed(describeProblem('Unexpected answer', detail, 0, 'unexpected_answer'), { cause });
  }
  const why = cause instanceof Error ? cause.message : String(cause);
  const detail = `It may be stopped, or the network is down (${why}).`;
  return new RequestFailed(describeProblem('No answer from the daemon', detail, 0, 'unreachable'), { cause });
}
