import type { Condition, Factory } from '../../client/api-types.ts';
import { shortenRevision } from './describe-reconciliation.ts';
import type { Column } from './table.ts';

/** One line for each factory. */
export const FACTORY_COLUMNS: Column<Factory>[] = [
  { head: 'NAME', text: ({ name }) => name, narrow: 'whole' },
  { head: 'CONFIGURED', text: ({ configured }) => (configured ? 'yes' : 'no'), narrow: 'whole' },
  { head: 'SOURCE', text: ({ source }) => source?.type ?? '-', narrow: 'whole', drop: 2 },
  { head: 'APPLIED', text: ({ applied_revision }) => shortenRevision(applied_revision), narrow: 'whole', drop: 3 },
  {
    head: 'STATUS',
    text: (factory) => rateFactory(factory).reason,
    color: (factory, { green, yellow, red }) =>
      ({ ok: green, warning: yellow, error: red })[rateFactory(factory).severity],
    narrow: 'whole',
  },
  { head: 'WEBHOOKS', text: ({ counts }) => String(counts.webhooks), narrow: 'whole', drop: 4 },
  { head: 'AUTOMATIONS', text: ({ counts }) => String(counts.automations), narrow: 'whole', drop: 5 },
  { head: 'REPOSITORY', text: ({ source }) => source?.url ?? '-', drop: 1 },
];

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
