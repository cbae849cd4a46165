import type { Activity, Factory, Webhook } from '../../../client/api-types.ts';
import { countOf } from '../../../domain/words/quantities.ts';
import { factoryPath } from '../../paths.ts';
import { buildDeliveriesPath, DELIVERY_LABELS } from '../deliveries/delivery-filter.ts';
import { listActiveConditions } from './describe-condition.ts';

/** Number of hours that the health is based on. */
export const HEALTH_HOURS = 24;

export type HealthState = 'healthy' | 'degraded' | 'failing';

/** A recent failure, with a link to it. */
export interface HealthFinding {
  title: string;
  link: { href: string; label: string };
}

/** Recent failures of a factory. Conditions are shown separately. */
export function listFindings(factory: Factory, activity: Activity, webhooks: readonly Webhook[]): HealthFinding[] {
  return [
    ...findFailedRuns(factory, activity),
    ...findRejections(factory, activity),
    ...findOldSecrets(factory, webhooks),
  ];
}

/** A factory is healthy only if all conditions are good and nothing failed. */
export function assessHealth({ conditions }: Factory, findings: readonly HealthFinding[]): HealthState {
  const active = listActiveConditions(conditions);
  if (active.some(({ severity }) => severity === 'error')) return 'failing';
  return active.length + findings.length > 0 ? 'degraded' : 'healthy';
}

function findFailedRuns({ name }: Factory, { buckets }: Activity): HealthFinding[] {
  const failed = sum(buckets.map(({ runs }) => runs.failed));
  const all = sum(buckets.flatMap(({ runs }) => Object.values(runs)));
  if (failed === 0) return [];
  const title = `${failed} of ${countOf(all, 'run')} failed in the last ${HEALTH_HOURS} hours`;
  return [{ title, link: { href: factoryPath(name, 'runs?state=failed'), label: 'View failed runs' } }];
}

function findRejections({ name }: Factory, { buckets }: Activity): HealthFinding[] {
  return DELIVERY_LABELS.filter((label) => label.startsWith('Rejected')).flatMap((label) => {
    const count = sum(buckets.map(({ deliveries }) => deliveries[label]));
    if (count === 0) return [];
    const why = label.slice('Rejected '.length);
    const title = `${countOf(count, 'delivery', 'deliveries')} rejected ${why} in the last ${HEALTH_HOURS} hours`;
    const href = buildDeliveriesPath(name, { label, time: { kind: 'last', span: '24h' } });
    return [{ title, link: { href, label: 'View rejected deliveries' } }];
  });
}

function findOldSecrets({ name }: Factory, webhooks: readonly Webhook[]): HealthFinding[] {
  const link = { href: factoryPath(name, 'webhooks'), label: 'View webhooks' };
  const [outdated, missing] = (['outdated', 'missing'] as const).map(
    (state) => webhooks.filter(({ enabled, secret_state }) => enabled && secret_state === state).length,
  ) as [number, number];
  return [
    ...(outdated === 0 ? [] : [{ title: `${countWebhooks(outdated)} an older version of the secret`, link }]),
    ...(missing === 0 ? [] : [{ title: `${countWebhooks(missing)} a secret that was deleted`, link }]),
  ];
}

function countWebhooks(count: number): string {
  return count === 1 ? '1 webhook uses' : `${count} webhooks use`;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
