import type { FastifyInstance } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import type { FactoryControl } from '../../domain/ports/definitions.ts';
import { reachesFactory } from '../auth/authenticator.ts';
import { closedObject, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { factoryOf, principalOf } from '../server/reach.ts';

export interface NameRouteParts {
  factories: FactoryControl;
  /** The limits of tokens and users have changed. */
  onLimitsChanged(): void;
}

const tags = ['Factories'];
const access = requireRole('owner', 'factory');

/** Factories that the configuration no longer names: `DELETE /factories/{factory}` and `POST /factories/{factory}/rename`. */
export function registerNameRoutes(
  app: FastifyInstance,
  { factories, onLimitsChanged }: NameRouteParts,
  present: (factory: string) => Promise<object>,
): void {
  app.delete(
    '/factories/:factory',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Forget a factory that the configuration no longer names',
        description:
          'Deletes its webhooks, automations, queued runs, and a definition that Dockbell stores. Its URLs never work again. Deliveries and ended runs stay until retention removes them. A factory that gets this name later begins empty. Rejected with 409 while the configuration names the factory.',
        response: { 200: refTo('ForgottenFactory'), 409: refTo('Problem') },
      },
    },
    async (request) => {
      const { name } = factoryOf(request);
      const { cancelledRuns } = await factories.forget(name);
      return { name, cancelled_runs: cancelledRuns };
    },
  );

  app.post<{ Body: { to: string } }>(
    '/factories/:factory/rename',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Rename a factory that the configuration names differently now',
        description:
          'Webhooks keep their UIDs and URLs. Automations, deliveries, runs and history get the new name, and so do the limits of tokens and users. Then the current definition is applied. Rejected with 409 while the configuration names the old factory, if it does not name the new one, or if the new one would lose URLs or a definition.',
        body: closedObject({
          to: { type: 'string', minLength: 1, maxLength: 200, description: 'The name in the configuration.' },
        }),
        response: { 200: refTo('Factory'), 409: refTo('Problem') },
      },
    },
    async (request) => {
      const { to } = request.body;
      if (!reachesFactory(principalOf(request), to)) throw new AppError('not_found', 'There is no such factory.');
      request.auditObjects = [`factories/${encodeURIComponent(to)}`];
      await factories.rename(factoryOf(request).name, to);
      onLimitsChanged();
      return present(to);
    },
  );
}
