import type { FastifyInstance } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import type { ConfigReload, ReloadControl } from '../../domain/ports/operations.ts';
import { refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';

/** `POST /reload`: changes of the configuration without a restart. */
export function registerReloadRoute(app: FastifyInstance, reload: ReloadControl['reload']): void {
  app.post(
    '/reload',
    {
      config: { access: requireRole('owner', 'team'), ofReplica: true },
      schema: {
        tags: ['Operation'],
        summary: 'Apply changes of the configuration',
        description:
          'Reads the configuration file again. Factories, most limits, retention and stop times take effect immediately, the rest at the next start. A configuration that is not valid changes nothing and answers 422. Of several replicas, only the one that answers reads its file.',
        response: { 200: refTo('Reload') },
      },
    },
    async () => presentReload(await reload().catch(joinLines)),
  );
}

function presentReload({ applied, needRestart, factories }: ConfigReload) {
  return { applied, restart_required: needRestart, factories };
}

/** The errors of a configuration have a line each. The text of a problem has one line. */
function joinLines(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'config_invalid') throw error;
  throw new AppError(error.code, `${error.message.replaceAll(/\s*\n\s*/g, ' ')} Nothing has changed.`);
}
