import type { FastifyInstance } from 'fastify';
import { type ArtifactRouteParts, registerArtifactRoutes } from './artifact-routes.ts';
import { type PostRouteParts, registerPostRoutes } from './post-routes.ts';
import { type RunRouteParts, registerRunRoutes } from './run-routes.ts';
import { registerWorkerList } from './worker-list-routes.ts';
import { registerWorkerRoutes, type WorkerRouteParts } from './worker-routes.ts';

type RunsParts = RunRouteParts & WorkerRouteParts & ArtifactRouteParts & PostRouteParts;

/** Runs: reads, cancel and retry, and the routes for workers. */
export function runsPlugin(app: FastifyInstance, parts: RunsParts): void {
  registerRunRoutes(app, parts);
  registerArtifactRoutes(app, parts);
  registerPostRoutes(app, parts);
  registerWorkerRoutes(app, parts);
  registerWorkerList(app, parts);
}
