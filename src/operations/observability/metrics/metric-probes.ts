import type { WebhookTraffic } from '../../../domain/deliveries/webhook-traffic.ts';
import type { RunTotals } from '../../../domain/ports/inventory.ts';
import type { GroupState } from '../../../domain/ports/replicas.ts';
import type { SpentBudget } from '../../../domain/ports/run-queue.ts';

/** Values that are read at each scrape. */
export interface MetricProbes {
  countRuns(): Promise<{ queued: number; running: number }>;
  /**
   * Per factory: is a definition live, and did its last reconciliation succeed? And when was a definition last applied, as
   * wall time in milliseconds; `null` for never?
   */
  factories(): Promise<{ factory: string; isReady: boolean; appliedAt: number | null }[]>;
  /** Of each webhook that exists. */
  webhookTraffic(): Promise<{ factory: string; webhook: string; traffic: WebhookTraffic }[]>;
  /** Of each automation with ended runs. */
  runTotals(): Promise<RunTotals[]>;
  /** Per factory: how long its oldest queued run has waited, 0 if none is queued. */
  queueAges(): Promise<{ factory: string; ageMs: number }[]>;
  /** The budgets of factories, with an empty `automation`, and of live automations, which are limited to those with series. */
  budgets(): Promise<SpentBudget[]>;
  /** The number of alerts that are not resolved. `factory` is `null` for alerts about the installation. */
  alertCounts(): { rule: string; factory: string | null; count: number }[];
  /** The daemons that share the storage. */
  group(): GroupState;
  /** The last scheduled backup, as wall time; `null` if none is scheduled. */
  lastBackup(): { successMs: number | null; failureMs: number | null } | null;
  /** Of the file system of the data directory. */
  diskSpace(): Promise<{ freeBytes: number; sizeBytes: number }>;
}
