import type { Kysely } from 'kysely';
import type { DeliveryId, RunId, WebhookUid } from '../../../core/ids.ts';
import type { ExecutorType, Run, RunInput, RunState } from '../../../core/run.ts';
import type { Schema } from '../schema.ts';

/** Runs with the webhook they came through. */
export function selectRuns(db: Kysely<Schema>) {
  return db
    .selectFrom('runs')
    .innerJoin('webhooks', 'webhooks.ref', 'runs.webhook')
    .selectAll('runs')
    .select(['webhooks.uid as webhook_uid', 'webhooks.name as webhook_name']);
}

type RunRow = Awaited<ReturnType<ReturnType<typeof selectRuns>['executeTakeFirstOrThrow']>>;

export function toRun(row: RunRow): Run {
  return {
    id: row.id as RunId,
    factory: row.factory,
    automation: row.automation,
    delivery: row.delivery_id as DeliveryId,
    webhookUid: row.webhook_uid as WebhookUid,
    deliveryIdentity: row.delivery_identity,
    state: row.state as RunState,
    attempt: row.attempt,
    executor: row.executor as ExecutorType | null,
    revision: row.revision,
    error: row.error,
    exitCode: row.exit_code,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}

/** Runs with everything an attempt needs: the prompt and overrides that were live, and the bytes received. */
export function selectRunInputs(db: Kysely<Schema>) {
  return selectRuns(db)
    .innerJoin('automation_versions', 'automation_versions.version', 'runs.version')
    .innerJoin('delivery_contents', 'delivery_contents.delivery', 'runs.delivery')
    .select(['automation_versions.prompt', 'automation_versions.agent', 'automation_versions.overrides'])
    .select('delivery_contents.body');
}

type RunInputRow = Awaited<ReturnType<ReturnType<typeof selectRunInputs>['executeTakeFirstOrThrow']>>;

export function toRunInput(row: RunInputRow): RunInput {
  const run = toRun(row);
  return {
    run,
    webhook: { name: row.webhook_name, uid: run.webhookUid },
    prompt: row.prompt,
    agent: row.agent,
    overrides: JSON.parse(row.overrides),
    payload: row.body,
  };
}
