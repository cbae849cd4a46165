import type { FastifyInstance, RouteOptions } from 'fastify';
import { TOKEN_ROLES, type TokenRole } from '../../domain/access/access.ts';
import type { FactoryHead } from '../../domain/applies/reconciliation.ts';
import type { Principal } from '../auth/authenticator.ts';

/**
 * How far a route reaches, for tokens that are limited to some factories.
 * `factory`: the factory named in the path. `object`: an object that belongs to a factory, which the handler finds.
 * `listed`: a list without the entries of other factories. `team`: what belongs to no factory; denied to
 * limited tokens.
 */
export type Reach = 'factory' | 'object' | 'listed' | 'team';

/** Who may use a route. There is no default: a route without one cannot be registered (threat model W4). */
export type RouteAccess =
  | { role: 'public' }
  | {
      role: TokenRole;
      reach: Reach;
      /** A worker may use it for the runs that it holds, which the handler checks. */
      forHolders?: true;
      /** The receiver of the run that the path names may use it, with the token of that run. */
      forReceiver?: true;
    };

/** A row of the table of routes. */
interface RouteAccessRow {
  method: string;
  url: string;
  access: RouteAccess;
  /** As in the configuration of the route. */
  discloses: boolean;
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
export function requireRole(role: TokenRole, reach: Reach): Exclude<RouteAccess, { role: 'public' }> {
  return { role, reach };
}

/** As `requireRole`, and for workers who hold the run. */
export function requireRoleOrHold(role: TokenRole): RouteAccess {
  return { role, reach: 'object', forHolders: true };
}

/** As `access`, and for the receiver of the run that the path names. */
export function orReceiver(access: Exclude<RouteAccess, { role: 'public' }>): RouteAccess {
  return { ...access, forReceiver: true };
}

/** Rejects routes that do not declare who may use them, and collects the table of all routes. */
export function guardRegistration(app: FastifyInstance): void {
  app.decorate('accessTable', []);
  app.addHook('onRoute', (route) => {
    const access = readAccess(route);
    const discloses = route.config?.discloses === true;
    for (const method of [route.method].flat()) app.accessTable.push({ method, url: route.url, access, discloses });
  });
}

function readAccess(route: RouteOptions): RouteAccess {
  const access = route.config?.access;
  const isKnown = access !== undefined && (access.role === 'public' || TOKEN_ROLES.includes(access.role));
  if (!isKnown)
    throw new Error(`route ${route.method} ${route.url} does not declare who may use it: set config.access`);
  return access;
}
