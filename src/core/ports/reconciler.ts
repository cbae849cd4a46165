import type { Reconciliation } from '../reconciliation.ts';

/** The reconciliation loop as front doors see it. */
export interface ReconcileControl {
  /** Runs one full pass of that factory now (after the one under way, if any) and answers with what came of it. */
  reconcileNow(factory: string): Promise<Reconciliation>;
}
