import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../domain/access/access.ts';
import type { FactoryHead } from '../../domain/applies/reconciliation.ts';
import { AppError } from '../../domain/errors.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import { type Principal, reachesFactory } from '../auth/authenticator.ts';

/** Who asks. Only on routes that are not public. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new AppError('internal', 'public routes have no principal');
  return request.principal;
}

/** Who asks, as the audit log and attempts of runs name them. */
export function actorOf(request: FastifyRequest): Actor {
  const { kind, id, name } = principalOf(request);
  return { kind, id, name };
}

/** The factory that the path names. Only on routes of reach `factory`. */
export function factoryOf(request: FastifyRequest): FactoryHead {
  if (request.factory === null) throw new AppError('internal', 'a route without a factory in its path asked for one');
  return request.factory;
}

/** Throws `not_found` for a factory that does not exist, in the same words for one out of the token's reach. */
export async function requireFactory(
  inventory: Pick<InventoryReader, 'head'>,
  principal: Principal,
  name: string,
): Promise<FactoryHead> {
  const found = reachesFactory(principal, name) ? await inventory.head(name) : null;
  if (found === null) throw new AppError('not_found', 'There is no such factory.');
  return found;
}

/**
 * The object, if it exists and belongs to a factory that the token reaches. Otherwise `not_found` in the same words, so
 * that a limited token does not learn what other factories hold (as GitHub answers for private repositories).
 */
export function requireReached<T extends { factory: string }>(
  request: FastifyRequest,
  what: string,
  found: T | null,
): T {
  if (found !== null && reachesFactory(principalOf(request), found.factory)) return found;
  throw new AppError('not_found', `There is no such ${what}.`);
}
