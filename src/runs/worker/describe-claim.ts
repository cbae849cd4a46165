import type { WebhookUid } from '../../domain/ids.ts';
import type { ExecutionRequest, RunDocuments } from '../../domain/ports/executor.ts';
import type { Run, RunInput } from '../../domain/resources/run.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { storeTraceContext } from '../../domain/telemetry/trace-context.ts';
import { joinPrompt } from '../envelope.ts';
import type { ClaimedRun } from './worker-api.ts';

type Described = Pick<ExecutionRequest, 'input' | 'documents' | 'context' | 'secrets'>;

/** What an executor gets for a run that was claimed, the same as from the daemon. */
export function describeClaim(claimed: ClaimedRun, payload: Uint8Array): Described {
  const { run, webhook, agent, input } = claimed;
  const documents: RunDocuments = {
    envelope: input.envelope,
    promptFile: joinPrompt(input.prompt, input.envelope),
    runFile: renderRunFile(claimed),
  };
  const secrets = new Map(Object.entries(claimed.secrets ?? {}).map(([name, text]) => [name, new SecretValue(text)]));
  const described: RunInput = {
    run: readRun(claimed),
    webhook: { name: webhook.name, uid: webhook.uid as WebhookUid },
    prompt: input.prompt,
    agent,
    overrides: input.overrides as RunInput['overrides'],
    event: input.event,
    origin: { webhook: { serves: null, signatureScheme: null }, headers: {}, filters: [] },
    queuedAt: Date.parse(run.created_at),
    payload,
    workspace: null,
    standsFor: { count: 0, deliveries: [] },
  };
  return { input: described, documents, context: input.context, secrets };
}

/** Everything that the environment and the folder of the run need. */
function readRun({ run, trace }: ClaimedRun): Run {
  return {
    id: run.id as Run['id'],
    factory: run.factory,
    automation: run.automation,
    delivery: run.delivery as Run['delivery'],
    webhookUid: run.webhook_uid as WebhookUid,
    deliveryIdentity: run.delivery_id,
    state: 'running',
    attempt: run.attempt,
    executor: 'queue',
    revision: run.revision,
    error: null,
    exitCode: null,
    output: null,
    createdAt: Date.parse(run.created_at),
    startedAt: run.started_at === null ? null : Date.parse(run.started_at),
    finishedAt: null,
    gate: null,
    concurrencyKey: run.concurrency_key,
    runsOn: run.runs_on,
    supersededBy: null,
    notBefore: null,
    traceContext: trace === null ? null : storeTraceContext(trace),
  };
}

/** As `renderRunDocuments` of the daemon. */
function renderRunFile({ run, webhook, agent, input, trace }: ClaimedRun): string {
  const { attempts: _attempts, waiting: _waiting, ...record } = run;
  const { event, context, overrides, workspace, stands_for } = input;
  return `${JSON.stringify({ run: record, webhook, event, context, agent, overrides, workspace, stands_for, trace }, null, 2)}\n`;
}
