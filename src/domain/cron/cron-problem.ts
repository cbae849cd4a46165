/** Why an expression or a time zone is not valid, and what to write instead. */
export interface CronProblem {
  message: string;
  hint: string;
}

export function describeProblem(message: string, hint: string): { ok: false; problem: CronProblem } {
  return { ok: false, problem: { message, hint } };
}
