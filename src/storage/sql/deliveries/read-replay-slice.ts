import type { Kysely } from 'kysely';
import type { DeliveryId, RunId, WebhookUid } from '../../../domain/ids.ts';
import type {
  ReplaySearch,
  ReplaySlice,
  ReplaySpan,
  SliceBounds,
  StartedThen,
  StoredDelivery,
} from '../../../domain/ports/replays.ts';
import type { Evaluation } from '../../../domain/resources/delivery.ts';
import type { Schema } from '../schema/schema.ts';
import { AUTOMATION_VERSIONS, CONTENTS, DELIVERIES } from '../schema/tables.ts';
import { type Examination, examineEntries } from './examine-deliveries.ts';
import { findByIdentity, findRefs, type Log, type Numbered } from './find-deliveries.ts';
import { selectNewest } from './select-newest.ts';

/** Counts the accepted deliveries of a span, regardless of what they contain. */
export async function countReplayable(log: Log, span: ReplaySpan, limit: number) {
  const entries = await findEntries(log, span, limit);
  return { count: entries.length, position: entries.at(-1)?.seq ?? span.last, isEnd: entries.length < limit };
}

/** Reads the next deliveries of a span, oldest first. The cost follows them, not the log. */
export async function readReplaySlice(
  log: Log,
  span: ReplaySpan,
  { examined: limit, returned, bytes }: SliceBounds,
): Promise<ReplaySlice> {
  const { db } = log;
  const entries = await findEntries(log, span, limit);
  const seqs = entries.map(({ seq }) => seq);
  const { found } = await examineEntries(db, seqs, toExamination(span.search));
  const matching = [...found].sort((a, b) => a - b);
  const taken = await fitIn(db, matching.slice(0, returned), bytes);
  const next = matching[taken.length];
  const examined = next === undefined ? seqs.length : seqs.indexOf(next);
  const isEnd = next === undefined && entries.length < limit;
  return {
    examined,
    position: isEnd ? span.last : (seqs[examined - 1] ?? span.after),
    isEnd,
    deliveries: await readDeliveries(db, taken),
  };
}

function toExamination({ isUnmatched = false, event, text }: ReplaySearch): Examination {
  return { isUnmatched, event: event ?? null, text: text ?? null };
}

/** The row numbers of the accepted deliveries of a span, oldest first. */
async function findEntries(
  { db, claims }: Log,
  { search, after, last }: ReplaySpan,
  limit: number,
): Promise<Numbered[]> {
  const range = { from: after + 1, before: last + 1 };
  const { identity } = search;
  const found: Numbered[] = [];
  for (const ref of await findRefs(db, search)) {
    const entries =
      identity === undefined
        ? await selectNewest(db, ref, ['Accepted'], range, 'asc').limit(limit).execute()
        : await findByIdentity({ db, claims }, ref, { identity, label: 'Accepted', range, limit, order: 'asc' });
    found.push(...entries);
  }
  const seqs = [...new Set(found.map(({ seq }) => seq))].sort((a, b) => a - b);
  return seqs.slice(0, limit).map((seq) => ({ seq }));
}

/** The first of the rows whose bodies fit, and at least one. */
async function fitIn(db: Kysely<Schema>, seqs: readonly number[], maxBytes: number): Promise<readonly number[]> {
  if (seqs.length === 0) return seqs;
  const rows = await db.selectFrom('deliveries').select(['seq', 'size']).where('seq', 'in', seqs).execute();
  const sizes = new Map(rows.map(({ seq, size }) => [seq, size]));
  let bytes = 0;
  const over = seqs.findIndex((seq) => {
    bytes += sizes.get(seq) ?? 0;
    return bytes > maxBytes;
  });
  return over === -1 ? seqs : seqs.slice(0, Math.max(1, over));
}

async function readDeliveries(db: Kysely<Schema>, seqs: readonly number[]): Promise<StoredDelivery[]> {
  if (seqs.length === 0) return [];
  const rows = await selectStored(db, seqs).execute();
  const evaluations = rows.map(({ decisions }) => CONTENTS.decode('decisions', decisions));
  const versions = await findVersions(db, evaluations.flatMap(listStarted));
  return rows.map((row, index) => toStored(row, evaluations[index]!, versions));
}

function selectStored(db: Kysely<Schema>, seqs: readonly number[]) {
  return db
    .selectFrom('deliveries')
    .innerJoin('delivery_contents', 'delivery_contents.delivery', 'deliveries.seq')
    .innerJoin('webhooks', 'webhooks.ref', 'deliveries.webhook')
    .selectAll('deliveries')
    .select(['webhooks.uid', 'webhooks.factory'])
    .select(['delivery_contents.body', 'delivery_contents.form', 'delivery_contents.decisions'])
    .where('deliveries.seq', 'in', seqs)
    .orderBy('deliveries.seq');
}

type StoredRow = Awaited<ReturnType<ReturnType<typeof selectStored>['executeTakeFirstOrThrow']>>;

function toStored(row: StoredRow, evaluation: Evaluation, versions: ReadonlyMap<RunId, StartedThen>): StoredDelivery {
  const {
    id,
    webhook: ref,
    receivedAt,
    deliveryId,
    deliveryIdSource,
    event,
    summary,
    headers,
    replayOf,
    revision,
  } = DELIVERIES.fromRow(row);
  const started = listStarted(evaluation).map((run) => versions.get(run));
  return {
    id: id as DeliveryId,
    webhook: { ref, uid: row.uid as WebhookUid, factory: row.factory },
    receivedAt,
    identity: { source: deliveryIdSource!, value: deliveryId! },
    event,
    summary,
    headers,
    replayOf,
    body: row.body,
    form: row.form,
    atReceipt: {
      applyNumber: 'decisions' in evaluation ? 0 : evaluation.applyNumber,
      revision,
      started: started.every((one) => one !== undefined) ? started : null,
    },
  };
}

/** The runs that the delivery started. */
function listStarted(evaluation: Evaluation): RunId[] {
  if ('decisions' in evaluation) return evaluation.decisions.flatMap(({ run }) => run ?? []);
  return evaluation.started.map(({ run }) => run);
}

/** What each stored run executes: the definition that was live when its delivery was received. */
async function findVersions(db: Kysely<Schema>, runs: readonly RunId[]): Promise<Map<RunId, StartedThen>> {
  if (runs.length === 0) return new Map();
  const rows = await db
    .selectFrom('runs')
    .innerJoin('automation_versions', 'automation_versions.version', 'runs.version')
    .select([
      'runs.id',
      'runs.automation',
      'runs.version',
      'automation_versions.concurrency',
      'automation_versions.debounce',
    ])
    .select('automation_versions.runs_on')
    .where('runs.id', 'in', runs)
    .execute();
  return new Map(
    rows.map(({ id, automation, version, concurrency, debounce, runs_on }) => [
      id as RunId,
      {
        automation,
        version,
        concurrency: AUTOMATION_VERSIONS.decode('concurrency', concurrency),
        debounce,
        runsOn: AUTOMATION_VERSIONS.decode('runsOn', runs_on),
      },
    ]),
  );
}
