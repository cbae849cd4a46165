import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import type { JsonObject, JsonSchema } from '../../domain/json.ts';
import type { RunControl } from '../../domain/ports/run-control.ts';
import type { RunReader } from '../../domain/ports/run-queue.ts';
import type {
  ClaimedRun,
  Hold,
  HoldOutcome,
  NewOutput,
  WorkerCaller,
  WorkerControl,
} from '../../domain/ports/workers.ts';
import {
  MAX_PROGRESS_CHARACTERS,
  type Run,
  type RunAttempt,
  type RunProgress,
  type RunResult,
} from '../../domain/resources/run.ts';
import { EXIT_CODE_RANGE } from '../../domain/runs/exit-code.ts';
import { readReportedOutput } from '../../domain/runs/run-output.ts';
import { MAX_WORKER_LABELS, WORKER_LABEL_PATTERN } from '../../domain/runs/worker-labels.ts';
import type { WorkerCheckout } from '../../domain/runs/workspace.ts';
import { traceAttempt } from '../../domain/telemetry/trace-context.ts';
import { reachesFactory } from '../auth/authenticator.ts';
import type { FindSource } from '../factories/factory-source.ts';
import { closedObject, refTo } from '../openapi/schemas.ts';
import { orReceiver, requireRole } from '../server/access-rules.ts';
import { principalOf, requireReached } from '../server/reach.ts';
import { findReachedRun } from './find-reached-run.ts';
import { fence, presentTerm, requireHeld } from './present-hold.ts';
import { presentRunInput } from './present-run-input.ts';
import { presentRunInPassing } from './present-runs.ts';

interface WorkerRouteParts {
  runs: RunReader;
  runControl: Pick<RunControl, 'explainWait'>;
  workers: WorkerControl;
  findSource: FindSource;
}

const tags = ['Workers'];
const MAX_CLAIMED = 100;
const MAX_ERROR_CHARACTERS = 1_000;
/** Shorter than the time after which proxies usually end a request without an answer. */
const MAX_WAIT_SECONDS = 50;

const log: JsonSchema = {
  type: 'string',
  description: 'Output since the last request. It is appended to the log of the run.',
};

const logOffset: JsonSchema = {
  type: 'integer',
  minimum: 0,
  description:
    'Position of `log` in the output of the attempt, in bytes. Output that was received before is not appended again, so a request can be repeated.',
};
const worker: JsonSchema = {
  ...closedObject(
    {
      id: {
        type: 'string',
        pattern: '^[A-Za-z0-9._-]{1,64}$',
        description: 'Identifies the worker among those with the same token. Default: the only one.',
      },
      name: { type: 'string', minLength: 1, maxLength: 100, description: 'Default: the name of the token.' },
      labels: {
        type: 'array',
        items: { type: 'string', pattern: WORKER_LABEL_PATTERN.source },
        maxItems: MAX_WORKER_LABELS,
        uniqueItems: true,
        description: 'Runs whose automation declares `runsOn` are only given to workers with all of these labels.',
      },
      version: { type: 'string', minLength: 1, maxLength: 50 },
      concurrency: { type: 'integer', minimum: 1, maximum: MAX_CLAIMED },
    },
    { description: 'What the worker states about itself, for `runsOn` and for the list of workers.' },
  ),
  required: [],
};

/** What a request of a worker states about it. */
interface StatedWorker {
  id?: string;
  name?: string;
  labels?: string[];
  version?: string;
  concurrency?: number;
}

type WorkerRequest<Body> = FastifyRequest<{ Params: { id: string }; Body: Body }>;

const progress: JsonSchema = {
  ...closedObject({
    percent: { type: ['number', 'null'], minimum: 0, maximum: 100, default: null },
    text: { type: ['string', 'null'], maxLength: MAX_PROGRESS_CHARACTERS, default: null },
  }),
  type: ['object', 'null'],
  required: [],
  default: null,
  description:
    'How far the attempt is. It replaces the progress of the previous request, unless it is omitted or `null`.',
};

/**
 * How workers pull runs: claim, start, heartbeat, complete or hand back (executor `queue`). Receivers of the executor `http` report in the same way,
 * without a claim.
 */
export function registerWorkerRoutes(app: FastifyInstance, parts: WorkerRouteParts): void {
  registerClaim(app, parts);
  registerStart(app, parts);
  registerHeartbeat(app, parts);
  registerCompletion(app, parts);
  registerHandBack(app, parts);
}

interface Claim {
  factory?: string;
  limit?: number;
  wait_seconds?: number;
  worker?: StatedWorker;
  secrets?: boolean;
  holding?: Hold[];
}

const claimBody = {
  ...closedObject({
    factory: { type: 'string', minLength: 1, description: 'By default every factory that the token reaches.' },
    limit: { type: 'integer', minimum: 1, maximum: MAX_CLAIMED, default: 1 },
    wait_seconds: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
      default: 0,
      description:
        'Time that the request waits for a run if none is queued. A drain of the daemon, and a newer claim of the worker, end the wait.',
    },
    worker,
    secrets: {
      type: 'boolean',
      default: false,
      description: 'Whether the answer contains the secrets of the runs. Only for tokens with the role `worker`.',
    },
    holding: {
      type: 'array',
      maxItems: MAX_CLAIMED,
      description:
        'All runs that the worker holds. Other runs that were given to it are interrupted, because it lost them.',
      items: closedObject({ id: { type: 'string' }, fence: { type: 'integer', minimum: 1 } }),
    },
  }),
  type: ['object', 'null'],
  required: [],
};

function registerClaim(app: FastifyInstance, parts: WorkerRouteParts): void {
  app.post<{ Body: Claim | null }>(
    '/runs/claim',
    {
      // The run shows the result. Workers that poll each second would fill the audit log.
      config: { access: requireRole('worker', 'listed'), changes: false },
      schema: {
        tags,
        summary: 'Claim queued runs',
        description:
          'Gives queued runs to a worker, oldest first, within `runs.concurrency` of the factory. They become `running`, and the worker holds each under a lease that its heartbeats renew. An empty list means that no run is waiting: poll again after a second or more, or let the request wait with `wait_seconds`. Runs that the daemon executes itself are not included. With `secrets`, a run whose secrets cannot be read ends as `failed`, as with an executor of the daemon.',
        body: claimBody,
        response: {
          200: closedObject(
            { data: { type: 'array', items: refTo('ClaimedRun') } },
            { description: 'The claimed runs.' },
          ),
          404: refTo('Problem'),
          409: refTo('Problem'),
        },
      },
    },
    async (request, reply) => {
      const { factory, limit = 1, wait_seconds: waitSeconds = 0, holding = null } = request.body ?? {};
      const factories =
        factory === undefined ? listClaimable(request, parts) : [requireClaimable(request, factory, parts)];
      const claimed = await parts.workers.claim({
        factories,
        limit,
        worker: readCaller(request, request.body?.worker),
        waitMs: waitSeconds * 1000,
        signal: signalOf(reply),
        holding,
        withSecrets: mayHaveSecrets(request),
      });
      return { data: await presentClaimedRuns(claimed, parts) };
    },
  );
}

/** Users who may claim runs may not read secrets. */
function mayHaveSecrets(request: FastifyRequest<{ Body: Claim | null }>): boolean {
  if (request.body?.secrets !== true) return false;
  const { role } = principalOf(request);
  if (role === 'worker') return true;
  throw new AppError(
    'forbidden',
    `The secrets of runs need a token with the role worker; this one has the role ${role}.`,
  );
}

function readCaller(request: FastifyRequest, stated: StatedWorker = {}): WorkerCaller {
  const token = principalOf(request).name;
  const { id = null, name = token, labels = [], version = null, concurrency = null } = stated;
  return { token, id, name, labels, version, concurrency };
}

/** Aborted when the connection ends before the answer was sent. */
function signalOf(reply: FastifyReply): AbortSignal {
  const disconnected = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) disconnected.abort();
  });
  return disconnected.signal;
}

function listClaimable(request: FastifyRequest, { workers }: WorkerRouteParts): string[] {
  const principal = principalOf(request);
  return [...workers.claimable()].filter((factory) => reachesFactory(principal, factory));
}

function requireClaimable(request: FastifyRequest, name: string, { workers, findSource }: WorkerRouteParts): string {
  const known = findSource(name) === null ? null : { factory: name };
  const { factory } = requireReached(request, 'factory', known);
  if (workers.claimable().has(factory)) return factory;
  throw new AppError(
    'conflict',
    `The daemon executes the runs of ${factory} itself, by a command. For workers, set runs.executor to { type: queue } in its configuration.`,
  );
}

async function presentClaimedRuns(claimed: readonly ClaimedRun[], parts: WorkerRouteParts) {
  if (claimed.length === 0) return [];
  const attempts = await parts.runs.attempts(claimed.map(({ input }) => input.run.id));
  return claimed.map((run) => presentClaimedRun(run, attempts.get(run.input.run.id) ?? [], parts));
}

function presentClaimedRun(
  { input, fence: held, timeoutMs, secrets, checkout, ...term }: ClaimedRun,
  attempts: readonly RunAttempt[],
  parts: WorkerRouteParts,
) {
  const { run, webhook, agent } = input;
  return {
    run: presentRunInPassing(run, attempts, parts),
    webhook: { name: webhook.name, uid: webhook.uid },
    agent,
    input: presentRunInput(input),
    trace: traceAttempt(run),
    fence: held,
    secrets: secrets === null ? null : revealSecrets(secrets),
    checkout: checkout === null ? null : revealCheckout(checkout),
    timeout_seconds: timeoutMs / 1000,
    ...presentTerm(term),
  };
}

/** Only for the worker that holds the run. */
function revealSecrets(secrets: NonNullable<ClaimedRun['secrets']>): { [name: string]: string } {
  return Object.fromEntries([...secrets].map(([name, value]) => [name, value.reveal()]));
}

/** Only for the worker that holds the run. */
function revealCheckout(checkout: WorkerCheckout) {
  if ('problem' in checkout) return { url: null, ref: null, username: null, password: null, problem: checkout.problem };
  const { url, ref, credentials } = checkout;
  const { username, password } = credentials ?? { username: null, password: null };
  return { url, ref, username, password: password?.reveal() ?? null, problem: null };
}

function registerStart(app: FastifyInstance, parts: WorkerRouteParts): void {
  app.post<{ Params: { id: string }; Body: { fence: number } }>(
    '/runs/:id/start',
    {
      config: { access: requireRole('worker', 'object'), changes: false },
      schema: {
        tags,
        summary: 'Record the start of a run',
        description:
          'Optional. Send it before the work starts, and start the work only after the answer. If the worker is lost after it, the attempt is not repeated unless `retry` of the automation or `runs.retry` allows it. 409 means that the run is lost.',
        body: closedObject({ fence }),
        response: { 200: refTo('Lease'), 409: refTo('Problem') },
      },
    },
    async (request) => {
      return presentTerm(requireHeld(await parts.workers.start(await findHold(request, parts))));
    },
  );
}

interface Heartbeat {
  fence: number;
  log: string;
  log_offset?: number;
  progress: RunProgress | null;
  worker?: StatedWorker;
}

function readOutput({ log: text, log_offset: offset }: Pick<Heartbeat, 'log' | 'log_offset'>): NewOutput {
  return { log: text, logOffset: offset ?? null };
}

function registerHeartbeat(app: FastifyInstance, parts: WorkerRouteParts): void {
  app.post<{ Params: { id: string }; Body: Heartbeat }>(
    '/runs/:id/heartbeat',
    {
      // A heartbeat changes nothing that the run does not show.
      config: { access: orReceiver(requireRole('worker', 'object')), changes: false },
      schema: {
        tags,
        summary: 'Renew the lease of a run',
        description:
          'Send it well before `lease_seconds` have elapsed, for example after a third of them. 409 means that the run is lost: it was cancelled, has timed out, or was given to another worker. Stop the work then, and do not complete the run.',
        body: {
          ...closedObject({ fence, log: { ...log, default: '' }, log_offset: logOffset, progress, worker }),
          required: ['fence'],
        },
        response: { 200: refTo('Lease'), 409: refTo('Problem') },
      },
    },
    async (request) => {
      const hold = await findHold(request, parts);
      const { progress: reported, worker: stated } = request.body;
      const report = Object.assign(readOutput(request.body), { progress: reported });
      // Reports of a receiver name no worker.
      const from = hold.isReceiver === true ? {} : { worker: readCaller(request, stated) };
      return presentTerm(requireHeld(await parts.workers.heartbeat(hold, Object.assign(report, from))));
    },
  );
}

interface Completion {
  fence: number;
  state: 'succeeded' | 'failed';
  error?: string;
  exit_code?: number | null;
  result?: JsonObject;
  log: string;
  log_offset?: number;
}

function registerCompletion(app: FastifyInstance, parts: WorkerRouteParts): void {
  app.post<{ Params: { id: string }; Body: Completion }>(
    '/runs/:id/complete',
    {
      config: { access: orReceiver(requireRole('worker', 'object')), changes: 'stored' },
      schema: {
        tags,
        summary: 'Report the end of a run',
        description:
          'Ends the run. A worker that got no response repeats the request. 409 means that the run is lost, and the result is ignored.',
        body: {
          ...closedObject({
            fence,
            state: { type: 'string', enum: ['succeeded', 'failed'] },
            error: {
              type: 'string',
              minLength: 1,
              maxLength: MAX_ERROR_CHARACTERS,
              description: 'Why it failed, in one sentence; only with `failed`.',
            },
            exit_code: { type: ['integer', 'null'], ...EXIT_CODE_RANGE },
            result: {
              type: 'object',
              description:
                'What the run wrote to `result.json`, without its secrets: `summary`, `links` and `artifacts`. If it is invalid, the run shows why, and its state does not change.',
            },
            log: { ...log, default: '' },
            log_offset: logOffset,
          }),
          required: ['fence', 'state'],
        },
        response: { 200: refTo('Run'), 409: refTo('Problem') },
      },
    },
    async (request) => {
      const hold = await findHold(request, parts);
      const outcome = await parts.workers.complete(hold, readResult(request.body), readOutput(request.body));
      return presentHeld(outcome, parts);
    },
  );
}

function registerHandBack(app: FastifyInstance, parts: WorkerRouteParts): void {
  app.post<{ Params: { id: string }; Body: { fence: number; reason: string } }>(
    '/runs/:id/hand-back',
    {
      config: { access: requireRole('worker', 'object'), changes: 'stored' },
      schema: {
        tags,
        summary: 'Hand a run back',
        description:
          'Queues a run again that the worker has not started, as its next attempt. 409 means that the run is lost, or that its start was recorded.',
        body: closedObject({
          fence,
          reason: {
            type: 'string',
            minLength: 1,
            maxLength: MAX_ERROR_CHARACTERS,
            description: 'Why the worker did not start it, in one sentence.',
          },
        }),
        response: { 200: refTo('Run'), 409: refTo('Problem') },
      },
    },
    async (request) => {
      const hold = await findHold(request, parts);
      return presentHeld(await parts.workers.handBack(hold, request.body.reason), parts);
    },
  );
}

async function presentHeld(outcome: HoldOutcome<{ run: Run }> | null, parts: WorkerRouteParts) {
  const { run } = requireHeld(outcome);
  return presentRunInPassing(run, (await parts.runs.attempts([run.id])).get(run.id) ?? [], parts);
}

function readResult({ state, error, exit_code: exitCode = null, result }: Completion): RunResult {
  const output = result === undefined ? null : readReportedOutput(result);
  if (state === 'failed') return { state, exitCode, error: error ?? describeFailure(exitCode), output };
  if (error === undefined) return { state, exitCode, error: null, output };
  throw new AppError('bad_request', 'A run that succeeded has no `error`: leave it out, or send `"state": "failed"`.');
}

/** The same text as for a command that failed. */
function describeFailure(exitCode: number | null): string {
  return exitCode === null ? 'the worker gave no reason' : `exit code ${exitCode}`;
}

/** The attempt that the request is about. A receiver reports only about the attempt of its token. */
async function findHold(request: WorkerRequest<{ fence: number }>, { runs }: WorkerRouteParts): Promise<Hold> {
  const { id } = await findReachedRun(request, runs);
  const { fence: given } = request.body;
  const { hold } = principalOf(request);
  if (hold === null) return { id, fence: given };
  if (hold.fence === given) return hold;
  throw new AppError('forbidden', `This token is for reports with the fence ${hold.fence}.`);
}
