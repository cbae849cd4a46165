import type { Reconciliation } from '../../reconciliation.ts';
import type { Ancestry } from './definition-source.ts';

/** The reconciliation loop for the API and the ingress. */
export interface ReconcileControl {
  /** Runs one full pass of that factory now, or after the pass in progress, and returns its result. */
  reconcileNow(factory: string): Promise<Reconciliation>;
  /** As `DefinitionSource.contains`, for the source of that factory. */
  contains(factory: string, revision: string, earlier: string): Promise<Ancestry>;
}

/** Ends and renames factories that the configuration does not name. Throws `AppError` `conflict` or `not_found`. */
export interface FactoryControl {
  /** As `FactoryNames.forget`. Returns the number of queued runs that were cancelled. */
  forget(factory: string): Promise<{ cancelledRuns: number }>;
  /**
   * Makes everything of `from` belong to `to`, which the configuration names, and makes it live. Then applies the current
   * definition of `to`, and returns that reconciliation.
   */
  rename(from: string, to: string): Promise<Reconciliation>;
}
