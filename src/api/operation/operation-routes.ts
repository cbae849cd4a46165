import type { FastifyInstance } from 'fastify';
import type { BuildIdentity } from '../../domain/build-identity.ts';
import { refTo } from '../openapi/schemas.ts';
import { PUBLIC, requireRole } from '../server/access-rules.ts';
import { problemType, sendProblem } from '../server/problem.ts';

/** Is the daemon fit to serve, and if not, why? Each problem is one readable sentence without secrets. */
export interface HealthCheck {
  ready(): Promise<{ ready: boolean; problems: string[]; warnings: string[] }>;
}

interface OperationRouteParts {
  build: BuildIdentity;
  health: HealthCheck;
  /** The metrics in the Prometheus text format. */
  renderMetrics(): Promise<string>;
  /** May `/metrics` be read without a token? */
  openMetrics: boolean;
}

const tags = ['Operation'];

/** What load balancers and Prometheus ask for. */
export function operationPlugin(app: FastifyInstance, parts: OperationRouteParts): void {
  const { builtAt, ...build } = parts.build;
  app.get(
    '/healthz',
    {
      config: { access: PUBLIC },
      schema: {
        tags,
        summary: 'Is the process alive?',
        description:
          'Also says which program it is. `/healthz` of the ingress listener does not, because anyone can read it.',
        response: { 200: refTo('Health') },
      },
    },
    async () => ({ status: 'ok', ...build, built_at: builtAt }),
  );

  app.get(
    '/readyz',
    {
      config: { access: PUBLIC },
      schema: {
        tags,
        summary: 'Can deliveries be taken?',
        description:
          'Storage is writable, and a definition is loaded for every factory that ever had one. `warnings` lists conditions that do not stop deliveries from being accepted, for example a wrong system clock or a secret that cannot be read.',
        response: { 200: refTo('Readiness'), 503: refTo('Problem') },
      },
    },
    async (_request, reply) => {
      const { ready, problems, warnings } = await parts.health.ready();
      if (ready) return { ready, problems, warnings };
      const detail = problems.join(' ');
      const code = 'not_ready';
      return sendProblem(reply, {
        type: problemType(code),
        title: 'Not ready',
        status: 503,
        detail,
        code,
        ready,
        problems,
      });
    },
  );

  registerMetrics(app, parts);
}

function registerMetrics(app: FastifyInstance, parts: OperationRouteParts): void {
  app.get(
    '/metrics',
    {
      // Metrics speak of every factory, so a token that is limited to some does not suffice.
      config: { access: parts.openMetrics ? PUBLIC : requireRole('viewer', 'team') },
      schema: {
        tags,
        summary: 'Metrics for Prometheus',
        response: { 200: { description: 'Text format.', content: { 'text/plain': { schema: { type: 'string' } } } } },
      },
    },
    async (_request, reply) =>
      reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8').send(await parts.renderMetrics()),
  );
}
