import type { FastifyInstance } from 'fastify';
import { type AutomationEditRouteParts, registerAutomationEditRoutes } from './automation-edit-routes.ts';
import { type AutomationRouteParts, registerAutomationRoutes } from './automation-routes.ts';
import { type BacktestRouteParts, registerBacktestRoutes } from './backtest-routes.ts';
import { type FilterRouteParts, registerFilterRoutes } from './filter-routes.ts';

type AutomationsParts = AutomationRouteParts & AutomationEditRouteParts & BacktestRouteParts & FilterRouteParts;

/** Automations: reads, edits, and tests of their triggers. */
export function automationsPlugin(app: FastifyInstance, parts: AutomationsParts): void {
  registerAutomationRoutes(app, parts);
  registerAutomationEditRoutes(app, parts);
  registerFilterRoutes(app, parts);
  registerBacktestRoutes(app, parts);
}
