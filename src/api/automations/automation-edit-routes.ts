import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AutomationContent } from '../../definitions/write/write-automation.ts';
import { automationPaths } from '../../domain/definitions/definition-paths.ts';
import type { Json, JsonObject, JsonSchema } from '../../domain/json.ts';
import type { PauseControl } from '../../domain/ports/pauses.ts';
import type { RunReader } from '../../domain/ports/run-queue.ts';
import { AUTOMATION_FIELDS, EXECUTION_OVERRIDES } from '../../domain/resources/automation.ts';
import { readDeclared, readRequest, requestProperties } from '../../domain/resources/fields.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { nameForApi } from '../../domain/words/automations.ts';
import { WEBHOOK_NAME_PATTERN } from '../../domain/words/names.ts';
import { tagAutomation } from '../../reconcile/edit/entity-tag.ts';
import type { FactoryEditor } from '../../reconcile/edit/factory-editor.ts';
import { readEditOrder } from '../factories/edit-order.ts';
import {
  type Advice,
  EDIT_ANSWERS,
  type EditGuardParts,
  inFactory,
  rejectRepositoryEdits,
} from '../factories/reject-repository-edits.ts';
import { closedObject, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { locate } from '../server/locate.ts';
import { factoryOf, requireReached } from '../server/reach.ts';
import { readSurroundings } from './automation-routes.ts';
import { presentAutomation } from './present-automation.ts';

interface AutomationEditRouteParts extends EditGuardParts {
  editor: Pick<FactoryEditor, 'writeAutomation' | 'deleteAutomation'>;
  runs: Pick<RunReader, 'oldestQueued'>;
  clock: Pick<Clock, 'wallMs'>;
  pauses: PauseControl;
}

const tags = ['Automations'];
const access = requireRole('manager', 'factory');
const REJECTED = 'Rejected with 409 if a repository decides; the response names the file to edit.';

interface AutomationBody {
  triggers: JsonObject[];
  prompt: string;
  [key: string]: Json;
}

const name: JsonSchema = { type: 'string', pattern: WEBHOOK_NAME_PATTERN.source };
const anyValue: JsonSchema = { description: 'Execution setting that is passed to the run unchanged.' };
const fields = requestProperties(AUTOMATION_FIELDS, 'create');
const properties: Record<string, JsonSchema> = {
  ...fields,
  runsOn: { ...fields.runs_on, description: 'Earlier name of `runs_on`.', deprecated: true },
  triggers: {
    type: 'array',
    items: { type: 'object' },
    description: 'As the front matter of a file writes them. The validation of the definition checks them.',
  },
  ...Object.fromEntries(EXECUTION_OVERRIDES.map((key) => [key, anyValue])),
};
const writingSchema = { ...closedObject(properties), required: ['triggers', 'prompt'] };
const creationSchema = { ...closedObject({ name, ...properties }), required: ['name', 'triggers', 'prompt'] };
const nameSchema = { type: 'object', required: ['factory', 'name'], properties: { factory: { type: 'string' }, name } };

/** Edits of automations, for factories that the service hosts. */
export function registerAutomationEditRoutes(app: FastifyInstance, parts: AutomationEditRouteParts): void {
  registerCreation(app, parts);
  registerReplacement(app, parts);
  registerDeletion(app, parts);
}

function registerCreation(app: FastifyInstance, parts: AutomationEditRouteParts): void {
  app.post<{ Body: AutomationBody & { name: string } }>(
    '/factories/:factory/automations',
    {
      config: { access, idempotent: true, tagged: true },
      schema: {
        tags,
        summary: 'Create an automation',
        description: REJECTED,
        body: creationSchema,
        response: { 201: refTo('Automation'), ...EDIT_ANSWERS },
      },
      onRequest: rejectRepositoryEdits(parts, async (_services, request) => {
        return `Add the file ${inFactory(parts, request, automationPaths('<name>').folder)}`;
      }),
    },
    async (request, reply) => {
      const { name, ...body } = request.body;
      const writing = { name, automation: readAutomation(body as AutomationBody), mustBeNew: true };
      await parts.editor.writeAutomation(readEditOrder(request), writing);
      return answer(parts, request, markCreated(request, reply, name), name);
    },
  );
}

function registerReplacement(app: FastifyInstance, parts: AutomationEditRouteParts): void {
  app.put<{ Body: AutomationBody; Params: { name: string } }>(
    '/factories/:factory/automations/:name',
    {
      config: { access, tagged: true },
      schema: {
        tags,
        summary: 'Create or change an automation',
        description: `The body is the whole automation: omitted keys are removed. Returns 201 if the automation was created, and 200 if it was changed. ${REJECTED}`,
        params: nameSchema,
        body: writingSchema,
        response: { 200: refTo('Automation'), 201: refTo('Automation'), ...EDIT_ANSWERS },
      },
      onRequest: rejectRepositoryEdits(parts, adviseReplacement),
    },
    async (request, reply) => {
      const { name } = request.params;
      const writing = { name, automation: readAutomation(request.body), mustBeNew: false };
      const isNew = await parts.editor.writeAutomation(readEditOrder(request), writing);
      return answer(parts, request, isNew ? markCreated(request, reply, name) : reply, name);
    },
  );
}

const adviseReplacement: Advice = async (parts, request) => {
  const { name } = request.params as { name: string };
  const found = await parts.inventory.automation(factoryOf(request).name, name);
  if (found !== null) return `Edit the file ${found.file}`;
  return `Add the file ${inFactory(parts, request, automationPaths(name).folder)}`;
};

function registerDeletion(app: FastifyInstance, parts: AutomationEditRouteParts): void {
  app.delete<{ Params: { name: string } }>(
    '/factories/:factory/automations/:name',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Delete an automation',
        description: `Its runs are kept, also queued ones. ${REJECTED}`,
        response: { 204: { type: 'null', description: 'Deleted.' }, ...EDIT_ANSWERS },
      },
      onRequest: rejectRepositoryEdits(parts, async ({ inventory }, request) => {
        const found = await inventory.automation(factoryOf(request).name, (request.params as { name: string }).name);
        return `Delete the file ${requireReached(request, 'automation', found).file}`;
      }),
    },
    async (request, reply) => {
      await parts.editor.deleteAutomation(readEditOrder(request), request.params.name);
      return reply.code(204).send();
    },
  );
}

function readAutomation({ triggers, prompt, ...body }: AutomationBody): AutomationContent {
  const declared = readDeclared(AUTOMATION_FIELDS, readRequest(AUTOMATION_FIELDS, 'create', nameForApi(body)));
  const overrides = EXECUTION_OVERRIDES.flatMap((key) => (body[key] === undefined ? [] : [[key, body[key]] as const]));
  return { ...declared, triggers, prompt, overrides: Object.fromEntries(overrides) };
}

function markCreated(request: FastifyRequest, reply: FastifyReply, name: string): FastifyReply {
  return reply.code(201).header('location', locate('factories', factoryOf(request).name, 'automations', name));
}

async function answer(
  parts: AutomationEditRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
): Promise<FastifyReply> {
  const found = await parts.inventory.automation(factoryOf(request).name, name);
  const automation = requireReached(request, 'automation', found);
  const view = presentAutomation(automation, await readSurroundings(parts, automation.factory), parts);
  return reply.header('etag', tagAutomation(automation)).send(view);
}
