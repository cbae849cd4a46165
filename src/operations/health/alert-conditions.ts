import type { ConditionState } from '../../reconcile/conditions.ts';

/** Targets of alerts that cannot be reached. Their messages wait. */
export function describeAlertTargets(failures: readonly { target: string; problem: string }[]): ConditionState | null {
  if (failures.length === 0) return null;
  return {
    type: 'AlertsFailing',
    status: 'True',
    reason: 'MessageNotSent',
    message: failures
      .map(({ target, problem }) => `messages about alerts cannot be sent to ${target}: ${problem}`)
      .join('; '),
  };
}
