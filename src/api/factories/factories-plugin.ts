import type { FastifyInstance } from 'fastify';
import { type ActivityRouteParts, registerActivityRoutes } from './activity-routes.ts';
import { type FactoryRouteParts, registerFactoryRoutes } from './factory-routes.ts';
import { type HistoryRouteParts, registerHistoryRoutes } from './history-routes.ts';
import { type PauseRouteParts, registerPauseRoutes } from './pause-routes.ts';
import { type PullRequestRouteParts, registerPullRequestRoutes } from './pull-request-routes.ts';

type FactoriesParts = FactoryRouteParts &
  HistoryRouteParts &
  ActivityRouteParts &
  PauseRouteParts &
  PullRequestRouteParts;

/** Factories: their state, their activity, their revisions. */
export function factoriesPlugin(app: FastifyInstance, parts: FactoriesParts): void {
  registerFactoryRoutes(app, parts);
  registerHistoryRoutes(app, parts);
  registerActivityRoutes(app, parts);
  registerPauseRoutes(app, parts);
  registerPullRequestRoutes(app, parts);
}
