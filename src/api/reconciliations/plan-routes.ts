import type { FastifyInstance } from 'fastify';
import { roleHolds } from '../../core/access.ts';
import { AppError } from '../../core/errors.ts';
import type { PlanPreviewer } from '../../core/plan-preview.ts';
import type { InventoryReader } from '../../core/ports/definitions/inventory.ts';
import { createFileEntry, type SourceTree } from '../../core/source-tree.ts';
import { refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { factoryOf, principalOf } from '../server/reach.ts';
import { presentPlanPreview } from './present-plan.ts';

export interface PlanRouteParts {
  inventory: InventoryReader;
  planPreviewer: PlanPreviewer;
  baseUrl(): string;
}

/** Text of each definition file by its path in the factory's folder. */
type Files = Readonly<Record<string, string>>;

/** Room for some ten thousand automations. */
const MAX_PLAN_BYTES = 33_554_432;

const planSchema = {
  type: 'object',
  required: ['files'],
  additionalProperties: false,
  properties: {
    files: {
      type: 'object',
      description: 'Text of each definition file by its path in the folder of the factory.',
      additionalProperties: { type: 'string' },
      maxProperties: 20_000,
    },
  },
};

/** `POST /factories/{factory}/plan`: what applying these files would change. Changes nothing. */
export function registerPlanRoutes(app: FastifyInstance, parts: PlanRouteParts): void {
  app.post<{ Body: { files: Files } }>(
    '/factories/:factory/plan',
    {
      config: { access: requireRole('viewer', 'factory'), changes: false },
      bodyLimit: MAX_PLAN_BYTES,
      schema: {
        tags: ['Reconciliations'],
        summary: 'Show what applying these files would change',
        description:
          'Nothing is written. If the files are not a valid definition, the response is 422 with `diagnostics`. The backtest evaluates stored deliveries of the last 7 days with the changed triggers. The form of secret values is checked for managers. For other roles, it is checked only if the factory uses the secret already.',
        body: planSchema,
        response: { 200: refTo('PlanPreview'), 422: refTo('Problem') },
      },
    },
    async (request) => {
      const { name: factory, appliedCommit } = factoryOf(request);
      const mayCheckSecrets = roleHolds(principalOf(request).role, 'manager');
      const preview = await parts.planPreviewer.preview(factory, toTree(request.body.files), mayCheckSecrets);
      if (!preview.valid) {
        const message = 'The files are not a valid definition. `diagnostics` lists all problems.';
        throw new AppError('definition_invalid', message, { details: { diagnostics: preview.diagnostics } });
      }
      const webhooks = await parts.inventory.webhooks(factory);
      const authModes = new Map(webhooks.map(({ uid, authMode }) => [uid, authMode]));
      return presentPlanPreview(factory, preview, { baseUrl: parts.baseUrl, authModes, appliedCommit });
    },
  );
}

function toTree(files: Files): SourceTree {
  const entries = Object.entries(files).map(([path, text]) => {
    if (!isPath(path))
      throw new AppError('bad_request', `${JSON.stringify(path.slice(0, 200))} is not a path of a file.`);
    return createFileEntry(path, new TextEncoder().encode(text));
  });
  return { prefix: '', entries };
}

function isPath(path: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(path) && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
