import type { FastifyInstance } from 'fastify';
import { type PlanRouteParts, registerPlanRoutes } from './plan-routes.ts';
import { type ReconciliationRouteParts, registerReconciliationRoutes } from './reconciliation-routes.ts';

type ReconciliationsParts = ReconciliationRouteParts & PlanRouteParts;

/** Reconciliations: their history, one on request, and what one would change. */
export function reconciliationsPlugin(app: FastifyInstance, parts: ReconciliationsParts): void {
  registerReconciliationRoutes(app, parts);
  registerPlanRoutes(app, parts);
}
