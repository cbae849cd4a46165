import type { Reconciliation } from '../../reconciliation.ts';
import type { Ancestry } from './definition-source.ts';

/** The reconciliation loop for the API and the ingress. */
export interface ReconcileControl {
  /** Runs one full pass of that factory now, or after the pass in progress, and returns its result. */
  reconcileNow(factory: string): Promise<Reconciliation>;
  /** As `DefinitionSource.contains`, for the source of that factory. */
  contains(factory: string, revision: string, earlier: string): Promise<Ancestry>;
}
