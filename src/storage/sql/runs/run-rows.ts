import { type Kysely, sql } from 'kysely';
import type { DeliveryId, RunId, WebhookUid } from '../../../domain/ids.ts';
import { parseRecordedHeaders } from '../../../domain/resources/delivery.ts';
import type { Run, RunInput, RunOrigin, StandsFor } from '../../../domain/resources/run.ts';
import { findListeners } from '../definitions/listener-history.ts';
import type { Schema } from '../schema/schema.ts';
import { AUTOMATION_VERSIONS, CONTENTS, DELIVERIES, RUNS, VERSION_COLUMNS, WEBHOOKS } from '../schema/tables.ts';

/** Runs with the webhook that received their delivery. */
export function selectRuns(db: Kysely<Schema>) {
  return db
    .selectFrom('runs')
    .innerJoin('webhooks', 'webhooks.ref', 'runs.webhook')
    .selectAll('runs')
    .select(['webhooks.uid as webhook_uid', 'webhooks.name as webhook_name']);
}

type RunRow = Awaited<ReturnType<ReturnType<typeof selectRuns>['executeTakeFirstOrThrow']>>;

export function toRun(row: RunRow): Run {
  return { ...RUNS.fromRow(row), webhookUid: row.webhook_uid as WebhookUid };
}

/** Runs with the input of an attempt: the prompt and overrides that were live, and the received bytes. */
export function selectRunInputs(db: Kysely<Schema>) {
  return selectRuns(db)
    .innerJoin('automation_versions', 'automation_versions.version', 'runs.version')
    .innerJoin('delivery_contents', 'delivery_contents.delivery', 'runs.delivery')
    .select(VERSION_COLUMNS)
    .innerJoin('deliveries', 'deliveries.seq', 'runs.delivery')
    .leftJoin('run_attempts', (join) =>
      join.onRef('run_attempts.run', '=', 'runs.seq').onRef('run_attempts.number', '=', 'runs.attempt'),
    )
    .select(['delivery_contents.body', 'delivery_contents.decisions', 'deliveries.event', 'deliveries.headers'])
    .select(['webhooks.serves', 'webhooks.signature_scheme', 'run_attempts.requested_at']);
}

type RunInputRow = Awaited<ReturnType<ReturnType<typeof selectRunInputs>['executeTakeFirstOrThrow']>>;

/** The inputs of these rows, with the deliveries that each run stands for. Only a run with a key can replace others. */
export function readRunInputs(db: Kysely<Schema>, rows: readonly RunInputRow[]): Promise<RunInput[]> {
  return Promise.all(
    rows.map(async (row) => {
      const standsFor = row.concurrency_key === null ? STANDS_FOR_NONE : await listStandsFor(db, row.id);
      return toRunInput(row, standsFor, await readOrigin(db, row));
    }),
  );
}

/** One more query, by an index. Deliveries to earlier versions have no number of an apply. */
async function readOrigin(db: Kysely<Schema>, row: RunInputRow): Promise<RunOrigin> {
  const evaluation = CONTENTS.decode('decisions', row.decisions);
  const search = { webhook: row.webhook_uid as WebhookUid, names: [row.automation], after: null, limit: 1 };
  const [listener] =
    'decisions' in evaluation ? [] : await findListeners(db, { ...search, applyNumber: evaluation.applyNumber });
  return {
    webhook: {
      serves: WEBHOOKS.decode('serves', row.serves),
      signatureScheme: WEBHOOKS.decode('signatureScheme', row.signature_scheme),
    },
    headers: parseRecordedHeaders(DELIVERIES.decode('headers', row.headers)),
    filters: listener?.filters ?? [],
  };
}

const STANDS_FOR_NONE: StandsFor = { count: 0, deliveries: [] };

function toRunInput(row: RunInputRow, standsFor: StandsFor, origin: RunOrigin): RunInput {
  const run = toRun(row);
  const { prompt, agent, overrides, workspace } = AUTOMATION_VERSIONS.fromRow(row);
  return {
    run,
    webhook: { name: row.webhook_name, uid: run.webhookUid },
    prompt,
    agent,
    overrides,
    workspace,
    event: row.event,
    origin,
    standsFor,
    queuedAt: row.requested_at ?? row.created_at,
    payload: row.body,
  };
}

/** Maximum number of deliveries that are listed. All are counted. */
const MAX_LISTED = 1_000;

/**
 * The deliveries of the runs that a run replaced, also through others, newest first. Each step is found by the index
 * `runs_by_successor`.
 */
async function listStandsFor(db: Kysely<Schema>, run: string): Promise<StandsFor> {
  const { rows } = await sql<{ id: string; delivery_id: string; delivery_identity: string; count: number }>`
    WITH RECURSIVE replaced (seq, id) AS (
      SELECT seq, id FROM runs WHERE superseded_by = ${run}
      UNION SELECT runs.seq, runs.id
        FROM replaced JOIN runs ON runs.superseded_by = replaced.id
    )

    SELECT runs.id, runs.delivery_id, runs.delivery_identity, count(*) OVER () AS count
      FROM replaced JOIN runs ON runs.seq = replaced.seq
      ORDER BY runs.seq DESC LIMIT ${MAX_LISTED}
  `.execute(db);
  const deliveries = rows.map((row) => ({
    delivery: row.delivery_id as DeliveryId,
    deliveryIdentity: row.delivery_identity,
    run: row.id as RunId,
  }));
  return { count: rows[0]?.count ?? 0, deliveries };
}
