import type { Reconciliation } from '../../reconciliation.ts';
import type { Ancestry } from './definition-source.ts';

/** The reconciliation loop as front doors see it. */
export interface ReconcileControl {
  /** Runs one full pass of that factory now (after the one under way, if any) and answers with what came of it. */
  reconcileNow(factory: string): Promise<Reconciliation>;
  /** As `DefinitionSource.contains`, for the source of that factory. */
  contains(factory: string, revision: string, earlier: string): Promise<Ancestry>;
}
