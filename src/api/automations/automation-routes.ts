import type { FastifyInstance } from 'fastify';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import type { PauseControl } from '../../domain/ports/pauses.ts';
import type { RunReader } from '../../domain/ports/run-queue.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { tagAutomation } from '../../reconcile/edit/entity-tag.ts';
import type { FindSource } from '../factories/factory-source.ts';
import { listOf, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { type PageQuery, pageOf, presentPage, SHORT_LIST_QUERY } from '../server/page-query.ts';
import { factoryOf, requireReached } from '../server/reach.ts';
import { type AutomationSurroundings, presentAutomation } from './present-automation.ts';

interface AutomationRouteParts {
  inventory: InventoryReader;
  runs: Pick<RunReader, 'oldestQueued'>;
  clock: Pick<Clock, 'wallMs'>;
  findSource: FindSource;
  pauses: PauseControl;
}

const tags = ['Automations'];

/** Reads of automations. */
export function registerAutomationRoutes(app: FastifyInstance, parts: AutomationRouteParts): void {
  const config = { access: requireRole('viewer', 'factory') };

  app.get<{ Querystring: PageQuery }>(
    '/factories/:factory/automations',
    {
      config,
      schema: {
        tags,
        summary: 'List automations',
        querystring: SHORT_LIST_QUERY,
        response: { 200: listOf('Automation') },
      },
    },
    async (request) => {
      const { name: factory } = factoryOf(request);
      const automations = await parts.inventory.automations(factory);
      const around = await readSurroundings(parts, factory);
      return presentPage(
        pageOf(automations, request.query, ({ name }) => name),
        (automation) => presentAutomation(automation, around, parts),
      );
    },
  );

  app.get<{ Params: { name: string } }>(
    '/factories/:factory/automations/:name',
    {
      config: { ...config, tagged: true },
      schema: { tags, summary: 'Show an automation', response: { 200: refTo('Automation') } },
    },
    async (request, reply) => {
      const found = await parts.inventory.automation(factoryOf(request).name, request.params.name);
      const automation = requireReached(request, 'automation', found);
      void reply.header('etag', tagAutomation(automation));
      return presentAutomation(automation, await readSurroundings(parts, automation.factory), parts);
    },
  );
}

/** What the answers about the automations of a factory need. */
export async function readSurroundings(
  { runs, inventory }: Pick<AutomationRouteParts, 'runs' | 'inventory'>,
  factory: string,
): Promise<AutomationSurroundings> {
  const [queued, webhooks] = await Promise.all([runs.oldestQueued(factory), inventory.webhooks(factory)]);
  return { queued, webhooks };
}
