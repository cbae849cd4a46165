import type { FastifyInstance } from 'fastify';
import { type AgentFileContent, MAX_AGENT_BYTES, MAX_AGENT_FILES } from '../../domain/definitions/agent-files.ts';
import { AppError } from '../../domain/errors.ts';
import type { RunControl } from '../../domain/ports/run-control.ts';
import { MAX_EXAMINED_RUNS } from '../../domain/ports/run-queue.ts';
import { RUN_STATES, type Run, type RunInput } from '../../domain/resources/run.ts';
import { PAYLOAD_FILE } from '../../runs/envelope.ts';
import { readRunContext } from '../../runs/read-context.ts';
import { closedObject, listOf, noBody, refTo } from '../openapi/schemas.ts';
import { orReceiver, requireRole, requireRoleOrHold } from '../server/access-rules.ts';
import { type PageQuery, pageQuerySchema, readPage } from '../server/page-query.ts';
import { factoryOf } from '../server/reach.ts';
import { PAYLOAD_RESPONSE, sendPayload } from '../server/send-payload.ts';
import { findReadableRun } from './find-reached-run.ts';
import { presentRunInput } from './present-run-input.ts';
import { presentOneRun, presentRuns } from './present-runs.ts';
import { registerRetryRoutes } from './retry-routes.ts';
import { type FindRun, type RunLogParts, type RunRequest, registerRunLogRoutes } from './run-log-routes.ts';
import { type RunFilters, readRunSearch, runFilterProperties } from './run-search.ts';

interface RunRouteParts extends RunLogParts {
  runControl: RunControl;
}

const tags = ['Runs'];

/** Runs: reads, cancel, retry. */
export function registerRunRoutes(app: FastifyInstance, parts: RunRouteParts): void {
  const findRun = (request: RunRequest): Promise<Run> => findReadableRun(request, parts.runs);
  registerRunList(app, parts);
  registerRunInput(app, parts, findRun);
  registerAgentFiles(app, parts, findRun);
  registerRunLogRoutes(app, parts, findRun);
  registerRunCancel(app, parts, findRun);
  registerRetryRoutes(app, parts, findRun);

  app.get<{ Params: { id: string } }>(
    '/runs/:id',
    {
      config: { access: orReceiver(requireRole('viewer', 'object')) },
      schema: { tags, summary: 'Show a run', response: { 200: refTo('Run') } },
    },
    async (request) => {
      const run = await findRun(request);
      const [view, input] = await Promise.all([presentOneRun(run, parts), parts.runs.input(run.id)]);
      return input === null ? view : { ...view, context: readRunContext(input) };
    },
  );
}

function registerRunList(app: FastifyInstance, parts: RunRouteParts): void {
  app.get<{ Querystring: RunFilters & PageQuery }>(
    '/factories/:factory/runs',
    {
      config: { access: requireRole('viewer', 'factory') },
      schema: {
        tags,
        summary: 'List the runs of a factory, newest first',
        description: `A page examines at most ${MAX_EXAMINED_RUNS} runs. It can have fewer runs than \`limit\`, or none, although \`next_cursor\` is not \`null\`.`,
        querystring: pageQuerySchema(runFilterProperties(RUN_STATES)),
        response: { 200: listOf('Run') },
      },
    },
    async (request) => {
      const { cursor: _, limit: __, ...filters } = request.query;
      const search = readRunSearch(factoryOf(request).name, filters);
      const { data, nextCursor } = await parts.runs.list({ ...search, ...readPage(request.query) });
      return { data: await presentRuns(data, parts), next_cursor: nextCursor };
    },
  );
}

function registerRunInput(app: FastifyInstance, parts: RunRouteParts, findRun: FindRun): void {
  const access = requireRoleOrHold('viewer');
  const findInput = async (request: RunRequest): Promise<RunInput> => {
    const input = await parts.runs.input((await findRun(request)).id);
    if (input === null) throw new AppError('not_found', 'The input of this run is no longer stored.');
    return input;
  };

  app.get<{ Params: { id: string } }>(
    '/runs/:id/input',
    {
      config: { access },
      schema: { tags, summary: 'Show what a run was given', response: { 200: refTo('RunInput') } },
    },
    async (request) => presentRunInput(await findInput(request)),
  );

  app.get<{ Params: { id: string } }>(
    `/runs/:id/attachments/${PAYLOAD_FILE}`,
    {
      config: { access, discloses: true },
      schema: { tags, summary: 'Download the payload of a run', response: { 200: PAYLOAD_RESPONSE } },
    },
    async (request, reply) => sendPayload(reply, PAYLOAD_FILE, (await findInput(request)).payload),
  );
}

function registerAgentFiles(app: FastifyInstance, parts: RunRouteParts, findRun: FindRun): void {
  app.get<{ Params: { id: string } }>(
    '/runs/:id/agent-files',
    {
      config: { access: requireRoleOrHold('viewer') },
      schema: {
        tags,
        summary: 'Show the agent files of a run',
        description: `The files in \`agents/\`, \`runners/\` and \`skills/\` of the commit that was live when the delivery was accepted: at most ${MAX_AGENT_FILES} files with ${MAX_AGENT_BYTES / 1_048_576} MiB. Commands and containers find them in the folder \`definition\` of their working directory.`,
        response: {
          200: closedObject(
            { data: { type: 'array', items: refTo('AgentFile') } },
            { description: 'The agent files of the run.' },
          ),
        },
      },
    },
    async (request) => ({ data: (await parts.runs.agentFiles((await findRun(request)).id)).map(presentAgentFile) }),
  );
}

function presentAgentFile({ path, bytes }: AgentFileContent) {
  return { path, size: bytes.byteLength, content_base64: Buffer.from(bytes).toString('base64') };
}

function registerRunCancel(app: FastifyInstance, parts: RunRouteParts, findRun: FindRun): void {
  app.post<{ Params: { id: string } }>(
    '/runs/:id/cancel',
    {
      config: { access: requireRole('operator', 'object') },
      schema: {
        tags,
        summary: 'Cancel a run',
        description:
          'A queued run, and a run that a worker or a receiver holds, is cancelled immediately (200). A run that the daemon executes is being stopped (202). A run that has ended returns 409.',
        body: noBody,
        response: { 200: refTo('Run'), 202: refTo('Run'), 409: refTo('Problem') },
      },
    },
    async (request, reply) => {
      const { id, state } = await findRun(request);
      const outcome = await parts.runControl.cancel(id);
      if (outcome === 'finished') throw new AppError('conflict', `The run had already ended as ${state}.`);
      return reply.code(outcome === 'cancelling' ? 202 : 200).send(await presentOneRun(await findRun(request), parts));
    },
  );
}
