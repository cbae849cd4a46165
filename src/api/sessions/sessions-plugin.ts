import type { FastifyInstance } from 'fastify';
import { registerSessionListRoutes, type SessionListRouteParts } from './session-list-routes.ts';
import { registerSessionRoutes, type SessionRouteParts } from './session-routes.ts';

type SessionsParts = SessionRouteParts & SessionListRouteParts;

/** Signing in and out, and the sessions that are open. */
export function sessionsPlugin(app: FastifyInstance, parts: SessionsParts): void {
  registerSessionRoutes(app, parts);
  registerSessionListRoutes(app, parts);
}
