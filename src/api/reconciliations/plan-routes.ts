import type { FastifyInstance } from 'fastify';
import { roleHolds } from '../../domain/access/access.ts';
import type { PlanPreviewer } from '../../domain/applies/plan-preview.ts';
import { MAX_AGENT_FILES } from '../../domain/definitions/agent-files.ts';
import {
  createFileEntry,
  MAX_DEFINITION_BYTES,
  type SourceTree,
  type TreeEntry,
} from '../../domain/definitions/source-tree.ts';
import { AppError } from '../../domain/errors.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import { presentPlanPreview } from '../../reconcile/plan-report/present-plan.ts';
import { closedObject, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { factoryOf, principalOf } from '../server/reach.ts';
import { presentCommit } from './present-commit.ts';

interface PlanRouteParts {
  inventory: InventoryReader;
  planPreviewer: PlanPreviewer;
  baseUrl(): string;
}

/** Text of each definition file by its path in the factory's folder. */
type Files = Readonly<Record<string, string>>;

/** An agent file without its content. */
interface NamedFile {
  path: string;
  size: number;
  digest: string;
}

const MAX_OTHER_FOLDERS = 1000;

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
    agent_files: {
      type: 'array',
      maxItems: MAX_AGENT_FILES,
      description:
        'The files in `agents/`, `runners/` and `skills/`. Without this list, the plan does not compare them.',
      items: closedObject({
        path: { type: 'string', pattern: '^(agents|runners|skills)/' },
        size: { type: 'integer', minimum: 0, maximum: MAX_DEFINITION_BYTES },
        digest: {
          type: 'string',
          pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$',
          description: 'The ID of the blob in git.',
        },
      }),
    },
    other_folders: {
      type: 'array',
      maxItems: MAX_OTHER_FOLDERS,
      description:
        'Names of the folders next to the definition, if `webhooks/` or `automations/` is missing. The plan names the one that may be misspelled.',
      items: { type: 'string', pattern: '^[\\w-][\\w.-]{0,100}$' },
    },
  },
};

interface PlanBody {
  files: Files;
  agent_files?: NamedFile[];
  other_folders?: string[];
}

/** `POST /factories/{factory}/plan`: what applying these files would change. Changes nothing. */
export function registerPlanRoutes(app: FastifyInstance, parts: PlanRouteParts): void {
  app.post<{ Body: PlanBody }>(
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
      const { agent_files: agentFiles } = request.body;
      const tree = toTree(request.body);
      const preview = await parts.planPreviewer.preview(factory, tree, mayCheckSecrets);
      if (!preview.valid) {
        const message = 'The files are not a valid definition. `diagnostics` lists all problems.';
        throw new AppError('definition_invalid', message, { details: { diagnostics: preview.diagnostics } });
      }
      const webhooks = await parts.inventory.webhooks(factory);
      const authModes = new Map(webhooks.map(({ uid, authMode }) => [uid, authMode]));
      const presented = presentPlanPreview(factory, preview, {
        urls: { baseUrl: parts.baseUrl(), authModes },
        appliedCommit: presentCommit(appliedCommit),
      });
      return agentFiles === undefined ? { ...presented, agent_files: null } : presented;
    },
  );
}

function toTree({ files, agent_files = [], other_folders }: PlanBody): SourceTree {
  const named = agent_files.map(
    (file): TreeEntry => ({ ...file, path: checkPath(file.path), kind: 'file', content: 'known', bytes: null }),
  );
  const entries = Object.entries(files).map(([path, text]) =>
    createFileEntry(checkPath(path), new TextEncoder().encode(text)),
  );
  const folders = other_folders === undefined ? {} : { otherFolders: other_folders };
  return { prefix: '', entries: [...entries, ...named], ...folders };
}

function checkPath(path: string): string {
  if (isPath(path)) return path;
  throw new AppError('bad_request', `${JSON.stringify(path.slice(0, 200))} is not a path of a file.`);
}

function isPath(path: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(path) && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
