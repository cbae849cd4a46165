import type { FastifyReply, FastifyRequest } from 'fastify';
import { roleHolds } from '../../domain/access/access.ts';
import { AppError } from '../../domain/errors.ts';
import type { RunId } from '../../domain/ids.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import type { Authenticator, Principal } from '../auth/authenticator.ts';
import type { RouteAccess } from './access-rules.ts';
import { requireFactory } from './reach.ts';

/** Paths under here that no route has ask for credentials first. The routes themselves are not secret: the document is public. */
export const API_PREFIX = '/api/v1';

/**
 * The hook in front of every handler and before any byte of a body: who asks (401), may the role do this (403), does
 * the factory in the path exist for this token (404).
 */
export function createAccessHook(services: { inventory: Pick<InventoryReader, 'head'>; authenticate: Authenticator }) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const access = request.routeOptions.config.access;
    // Registered routes always have access rules (`guardRegistration`); without any, only the 404 handler is left.
    if (request.is404 || access === undefined) {
      if (isUnderApi(request.url)) request.principal = await services.authenticate(request);
      return;
    }
    if (access.role === 'public') return;
    request.principal = await services.authenticate(request);
    announceExpiry(request.principal, reply);
    requirePermission(request, request.principal, access);
    if (access.reach === 'factory') {
      request.factory = await requireFactory(services.inventory, request.principal, readFactoryName(request));
    }
  };
}

/** Is this URL one of the API's, whether a route has it or not? */
export function isUnderApi(url: string): boolean {
  return url === API_PREFIX || url.startsWith(`${API_PREFIX}/`) || url.startsWith(`${API_PREFIX}?`);
}

/** Named like the header of GitHub. Programs can report it before their token stops working. */
const EXPIRATION_HEADER = 'dockbell-authentication-token-expiration';

function announceExpiry({ kind, endsAt }: Principal, reply: FastifyReply): void {
  if (kind === 'token' && endsAt !== null) void reply.header(EXPIRATION_HEADER, formatInstant(endsAt));
}

type RestrictedAccess = Exclude<RouteAccess, { role: 'public' }>;

function requirePermission(request: FastifyRequest, principal: Principal, access: RestrictedAccess): void {
  if (principal.hold !== null) {
    requireOwnRun(request, principal.hold.id, access);
    return;
  }
  const isHolder = principal.role === 'worker' && access.forHolders === true;
  if (!isHolder && !roleHolds(principal.role, access.role)) {
    throw new AppError('forbidden', `This needs the role ${access.role}; the token has the role ${principal.role}.`);
  }
  if (access.reach === 'team' && principal.factories !== null) {
    throw new AppError('forbidden', 'This belongs to the whole team; the token is limited to some factories.');
  }
}

/** The token of a run is only for reports about that run. */
function requireOwnRun({ params }: FastifyRequest, run: RunId, access: RestrictedAccess): void {
  if (access.forReceiver === true && (params as { id?: string }).id === run) return;
  throw new AppError('forbidden', `This token is for reports about ${run}, and for nothing else.`);
}

function readFactoryName(request: FastifyRequest): string {
  return (request.params as { factory: string }).factory;
}
