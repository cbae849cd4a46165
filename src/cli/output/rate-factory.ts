import type { Condition, Factory } from '../../client/api-types.ts';

/** The state of a factory: its severity, and the reason of the worst condition. */
interface FactoryRating {
  severity: Condition['severity'];
  reason: string;
}

/** A warning, such as a missing executor, is not a problem: deliveries are received and the last commit is live. */
export function rateFactory({ applied_revision, conditions }: Factory): FactoryRating {
  const find = (severity: Condition['severity']) => conditions.find((condition) => condition.severity === severity);
  const error = find('error');
  if (error !== undefined) return { severity: 'error', reason: error.reason };
  if (applied_revision === null) return { severity: 'error', reason: 'NothingApplied' };
  const warning = find('warning');
  return warning === undefined ? { severity: 'ok', reason: 'Ready' } : { severity: 'warning', reason: warning.reason };
}
