import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../core/errors.ts';
import type { InventoryReader, WebhookView } from '../../core/ports/inventory.ts';
import { requireRole } from '../access-rules.ts';
import { factoryOf, requireReached } from '../reach.ts';
import { refTo } from '../schemas.ts';
import type { AdminServices } from '../services.ts';
import { findLiveWebhook } from './find-webhook.ts';

interface RefusedEdit {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/factories/{factory}`. */
  path: string;
  summary: string;
  /** What to do in place of it; throws `not_found` where the object does not exist. */
  advise(services: AdminServices, request: FastifyRequest): Promise<string>;
}

/**
 * Edits of what a repository decides. They answer 409 and name the file to edit, after 401, 403 and 404, and before any
 * byte of their body is read: whatever it says, the answer is the same.
 */
const REFUSED_EDITS: readonly RefusedEdit[] = [
  {
    method: 'POST',
    path: '/webhooks',
    summary: 'Create a webhook',
    advise: async (services, request) => `Add the file ${inFactory(services, request, 'webhooks/<name>.yaml')}`,
  },
  {
    method: 'PATCH',
    path: '/webhooks/:uid',
    summary: 'Change a webhook',
    advise: async ({ inventory }, request) => `Edit the file ${(await findLiveWebhook(inventory, request)).file}`,
  },
  {
    method: 'DELETE',
    path: '/webhooks/:uid',
    summary: 'Delete a webhook',
    advise: async ({ inventory }, request) => `Delete the file ${(await findLiveWebhook(inventory, request)).file}`,
  },
  {
    method: 'POST',
    path: '/webhooks/:uid/rotate',
    summary: 'Rotate the secret of a webhook',
    advise: async ({ inventory }, request) => adviseSecretUpdate(await findLiveWebhook(inventory, request)),
  },
  {
    method: 'POST',
    path: '/webhooks/:uid/secret',
    summary: 'Give a webhook its provider’s secret',
    advise: async ({ inventory }, request) => adviseSecretUpdate(await findLiveWebhook(inventory, request)),
  },
  {
    method: 'POST',
    path: '/automations',
    summary: 'Create an automation',
    advise: async (services, request) =>
      `Add the file ${inFactory(services, request, 'automations/<name>/automation.md')}`,
  },
  {
    method: 'PUT',
    path: '/automations/:name',
    summary: 'Create or change an automation',
    advise: async (services, request) => {
      const { name } = request.params as { name: string };
      const found = await services.inventory.automation(factoryOf(request).name, name);
      if (found !== null) return `Edit the file ${found.file}`;
      return `Add the file ${inFactory(services, request, `automations/${name}/automation.md`)}`;
    },
  },
  {
    method: 'DELETE',
    path: '/automations/:name',
    summary: 'Delete an automation',
    advise: async ({ inventory }, request) => `Delete the file ${await findAutomationFile(inventory, request)}`,
  },
];

/** Registers every row of the table. */
export function registerRefusedEdits(app: FastifyInstance, services: AdminServices): void {
  for (const { method, path, summary, advise } of REFUSED_EDITS) {
    const refuse = async (request: FastifyRequest): Promise<never> => {
      const advice = await advise(services, request);
      throw new AppError('conflict', `${sayWhoDecides(services, request)} ${advice}${sayWhere(services, request)}.`);
    };
    app.route({
      method,
      url: `/factories/:factory${path}`,
      config: { access: requireRole('manager', 'factory') },
      schema: {
        tags: [path.startsWith('/webhooks') ? 'Webhooks' : 'Automations'],
        summary,
        description: 'Refused with 409 where a repository decides; the answer names the file to edit.',
        response: { 409: refTo('Problem') },
      },
      onRequest: refuse,
      handler: refuse,
    });
  }
}

function sayWhoDecides(services: AdminServices, request: FastifyRequest): string {
  const { name } = factoryOf(request);
  return services.factorySource(name) === null
    ? `The factory ${name} stands in the configuration no more, so it cannot be changed.`
    : `The repository of the factory ${name} decides this.`;
}

function sayWhere(services: AdminServices, request: FastifyRequest): string {
  const branch = services.factorySource(factoryOf(request).name)?.branch ?? null;
  return branch === null ? '' : `, on its branch ${branch}`;
}

function inFactory(services: AdminServices, request: FastifyRequest, file: string): string {
  const folder = (services.factorySource(factoryOf(request).name)?.path ?? '').replace(/^(\.?\/)+|^\.$|\/+$/g, '');
  return folder === '' ? file : `${folder}/${file}`;
}

function adviseSecretUpdate({ secretName }: WebhookView): string {
  return `Update the secret with "dockbell secret update ${secretName}"; it takes effect with the next commit that applies`;
}

async function findAutomationFile(inventory: InventoryReader, request: FastifyRequest): Promise<string> {
  const found = await inventory.automation(factoryOf(request).name, (request.params as { name: string }).name);
  return requireReached(request, 'automation', found).file;
}
