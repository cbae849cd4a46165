import type { ReconciliationId } from '../../ids.ts';
import type { Page, PageRequest } from '../../page.ts';
import type { Reconciliation } from '../../reconciliation.ts';

/** Reads of the reconciliation history, newest first. It is written by `Inventory`. */
export interface ReconciliationReader {
  list(request: PageRequest & { factory: string }): Promise<Page<Reconciliation>>;
  get(id: ReconciliationId): Promise<Reconciliation | null>;
}
