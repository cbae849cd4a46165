import { describeProblem, type Problem, RequestFailed } from '../../client/read-answer.ts';

/** The problem document of any error of a query or mutation. */
export function toProblem(error: unknown): Problem {
  if (error instanceof RequestFailed) return error.problem;
  const detail = error instanceof Error ? error.message : String(error);
  return describeProblem('The dashboard failed', detail, 0, 'dashboard');
}
