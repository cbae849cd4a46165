import type { DeliveryId, RunId } from '../../../domain/ids.ts';
import type {
  DeliveryLogEntry,
  DeliveryOffer,
  IdentitySource,
  MatchRecord,
  NewRun,
  RecordOutcome,
  RejectionEntry,
  ReplayEntry,
} from '../../../domain/resources/delivery.ts';
import type { RunGate } from '../../../domain/resources/run.ts';
import { normalizeLabels } from '../../../domain/runs/worker-labels.ts';
import { LOOP_GUARD, type LoopGuardLimit } from '../../../domain/words/runs.ts';
import { mapColumns } from '../schema/columns.ts';
import type { DELIVERIES, DeliveryContent, StoredDelivery } from '../schema/tables.ts';

/** An entry that was received, or replays one that was. */
export type AcceptableEntry = DeliveryOffer | ReplayEntry;

/** The runs of a delivery that are created, and the automations that the loop guard did not start. */
export interface AdmittedRuns {
  runs: NewRun[];
  guarded: string[];
}

/** A row of `deliveries` without its number. */
export type NewDeliveryRow = Parameters<typeof DELIVERIES.toValues>[0];

/** What differs between accepted deliveries, duplicates and rejections. */
export type Result = Pick<StoredDelivery, 'label'> &
  Partial<
    Pick<
      StoredDelivery,
      'reason' | 'detail' | 'count' | 'duplicateOf' | 'replayOf' | 'replay' | 'deliveryId' | 'deliveryIdSource'
    >
  >;

export function composeDelivery(entry: DeliveryLogEntry, result: Result): NewDeliveryRow {
  return {
    id: entry.id,
    webhook: entry.webhook,
    label: result.label,
    reason: result.reason ?? null,
    detail: result.detail ?? null,
    deliveryId: result.deliveryId ?? entry.identity?.value ?? null,
    deliveryIdSource: result.deliveryIdSource ?? entry.identity?.source ?? null,
    event: entry.kind === 'rejection' ? null : entry.event,
    summary: entry.kind === 'rejection' ? null : entry.summary,
    headers: entry.headers,
    identityKey: result.label === 'Accepted' ? readKey(entry) : null,
    bodyKey: result.label === 'Accepted' && entry.kind === 'offer' ? (entry.identity.bodyKey ?? null) : null,
    size: entry.size,
    count: result.count ?? 1,
    receivedAt: entry.receivedAt,
    clientAddress: entry.clientAddress,
    revision: entry.revision,
    duplicateOf: result.duplicateOf ?? null,
    replayOf: result.replayOf ?? null,
    replay: result.replay ?? null,
  };
}

/** `null` if the key is the delivery ID. */
function readKey(entry: DeliveryLogEntry): string | null {
  return entry.kind === 'offer' && entry.identity.key !== entry.identity.value ? entry.identity.key : null;
}

export function resultOfAccepted(entry: AcceptableEntry): Result {
  if (entry.kind === 'offer') return { label: 'Accepted', reason: entry.backfill ?? entry.tick?.reason ?? null };
  return { label: 'Accepted', replayOf: entry.replayOf, replay: entry.replay };
}

/** The accepted delivery that makes another one a duplicate. */
export interface Duplicate {
  of: DeliveryId;
  reason: 'same_identity' | 'same_identity_other_body';
  /** The source of the key that both have. */
  by: IdentitySource;
}

/** The row shows the identity that decided. If that is the second key, the detail has the ID of the request. */
export function resultOfDuplicate({ identity }: DeliveryOffer, { of, reason, by }: Duplicate): Result {
  const result = { label: 'Duplicate', reason, duplicateOf: of } as const;
  if (by === identity.source) return result;
  const detail = `the delivery ID of the request is ${identity.value}`;
  return { ...result, detail, deliveryId: identity.bodyKey!, deliveryIdSource: by };
}

export function resultOfRejection({ label, reason, detail, count }: RejectionEntry): Result {
  return { label, reason, detail, count };
}

/** @param delivery the number of the row in `deliveries` */
export function composeContent(entry: AcceptableEntry, delivery: number, admitted: AdmittedRuns): DeliveryContent {
  const tick = entry.kind === 'offer' ? entry.tick : undefined;
  const decisions = tick === undefined ? toMatchRecord(entry, admitted) : { decisions: tick.decisions, omitted: null };
  return { delivery, body: entry.body, form: entry.form, decisions };
}

/** The limit of the loop guard for the runs of an entry. */
export function limitOf(entry: AcceptableEntry): LoopGuardLimit {
  return (entry.kind === 'offer' ? entry.guard : undefined) ?? LOOP_GUARD;
}

function toMatchRecord(entry: AcceptableEntry, { runs, guarded }: AdmittedRuns): MatchRecord {
  const { applyNumber } = entry;
  const only = entry.kind === 'replay' ? entry.only : null;
  const started = runs.map(({ automation, id }) => ({ automation, run: id }));
  const subject = entry.kind === 'offer' ? entry.subject : undefined;
  if (subject === undefined || guarded.length === 0) return { applyNumber, only, started };
  return { applyNumber, only, started, guarded: { subject, automations: guarded, limit: limitOf(entry) } };
}

/** The outcome of an accepted entry. @param guarded the automations that the loop guard did not start */
export function outcomeOfAccepted(guarded: string[]): Extract<RecordOutcome, { label: 'Accepted' }> {
  return guarded.length === 0 ? { label: 'Accepted' } : { label: 'Accepted', guarded };
}

/** A run that a delivery starts. */
export interface NewRunRow {
  id: RunId;
  factory: string;
  automation: string;
  version: number;
  /** `seq` of the row in `deliveries`. */
  delivery: number;
  deliveryId: DeliveryId;
  deliveryIdentity: string;
  webhook: number;
  revision: string | null;
  createdAt: number;
  traceContext: string | null;
  concurrencyKey: string | null;
  runsOn: string[] | null;
  gate: RunGate | null;
  /** As `DeliveryOffer.subject`; `null` if the loop guard does not count the run. */
  subject: string | null;
}

export const NEW_RUNS = mapColumns<NewRunRow>()({
  id: 'text',
  factory: 'text',
  automation: 'text',
  version: 'integer',
  delivery: 'integer',
  deliveryId: 'text',
  deliveryIdentity: 'text',
  webhook: 'integer',
  revision: 'text',
  createdAt: 'instant',
  traceContext: 'text',
  concurrencyKey: 'text',
  runsOn: 'json',
  gate: 'text',
  subject: 'text',
});

/**
 * @param factory that has the webhook
 * @param delivery the number of the row in `deliveries`
 */
export function composeRun(entry: AcceptableEntry, run: NewRun, factory: string, delivery: number): NewRunRow {
  return {
    id: run.id,
    factory,
    automation: run.automation,
    version: run.version,
    delivery,
    deliveryId: entry.id,
    deliveryIdentity: entry.identity.value,
    webhook: entry.webhook,
    revision: entry.revision,
    createdAt: entry.receivedAt,
    traceContext: run.traceContext ?? null,
    concurrencyKey: run.concurrencyKey ?? null,
    runsOn: normalizeLabels(run.runsOn),
    gate: run.concurrencyKey === undefined ? null : 'arrived',
    subject: (entry.kind === 'offer' ? entry.subject : undefined) ?? null,
  };
}

/** The delivery ID of a request that another row stands for. */
export interface LimitedIdRow {
  /** `seq` of the row in `deliveries`. */
  delivery: number;
  identity: string;
}

export const LIMITED_IDS = mapColumns<LimitedIdRow>()({ delivery: 'integer', identity: 'text' });

/** Accepting a delivery without its run would lose the run after a `202`. */
export function rejectUnknownWebhook(webhook: number): never {
  throw new Error(`webhook ${webhook} is not stored`);
}

/** As `rejectUnknownWebhook`. */
export function rejectUnknownVersion({ version, automation }: NewRun): never {
  throw new Error(`version ${version} of automation ${automation} is not stored`);
}
