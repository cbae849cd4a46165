import type { FastifyInstance, RouteOptions } from 'fastify';
import type { Role } from '../../core/access.ts';
import { ROLES } from '../../core/access.ts';
import type { FactoryHead } from '../../core/reconciliation.ts';
import type { Principal } from '../auth/authenticator.ts';

/**
 * How far a route reaches, for tokens that are limited to some factories.
 * `factory`: the factory named in the path. `object`: an object that belongs to a factory, which the handler finds.
 * `listed`: a list without the entries of other factories. `team`: what belongs to no factory; denied to
 * limited tokens.
 */
export type Reach = 'factory' | 'object' | 'listed' | 'team';

/** Who may use a route. There is no default: a route without one cannot be registered (threat model W4). */
export type RouteAccess = { role: 'public' } | { role: Role; reach: Reach };

/** A row of the table of routes. */
export interface RouteAccessRow {
  method: string;
  url: string;
  access: RouteAccess;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
  }
  interface FastifyRequest {
    /** Who asks; `null` on public routes. */
    principal: Principal | null;
    /** The factory that the path names; `null` on routes that name none. */
    factory: FactoryHead | null;
  }
  interface FastifyInstance {
    /** Every registered route with who may use it. */
    accessTable: RouteAccessRow[];
  }
}

/** Open to everybody, without credentials. */
export const PUBLIC: RouteAccess = { role: 'public' };

/** For tokens whose role holds `role`. */
export function requireRole(role: Role, reach: Reach): RouteAccess {
  return { role, reach };
}

/** Rejects routes that do not declare who may use them, and collects the table of all routes. */
export function guardRegistration(app: FastifyInstance): void {
  app.decorate('accessTable', []);
  app.addHook('onRoute', (route) => {
    const access = readAccess(route);
    for (const method of [route.method].flat()) app.accessTable.push({ method, url: route.url, access });
  });
}

function readAccess(route: RouteOptions): RouteAccess {
  const access = route.config?.access;
  const isKnown = access !== undefined && (access.role === 'public' || ROLES.includes(access.role));
  if (!isKnown)
    throw new Error(`route ${route.method} ${route.url} does not declare who may use it: set config.access`);
  return access;
}
