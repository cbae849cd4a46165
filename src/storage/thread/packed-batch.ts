import type { DeliveryLogEntry, DeliveryOffer, NewRun, RecordOutcome } from '../../domain/resources/delivery.ts';

/** Larger bodies change threads by transfer: copying them would stop the HTTP thread. */
const MAX_COPIED_BYTES = 16 * 1024;

/** An offer without its bytes, as values that are cheap to copy between threads. */
const COLUMNS = [
  'id',
  'webhook',
  'size',
  'receivedAt',
  'clientAddress',
  'headers',
  'revision',
  'event',
  'summary',
  'applyNumber',
] as const;

type Columns = { [Name in (typeof COLUMNS)[number]]: DeliveryOffer[Name][] };

/**
 * A batch as a few flat lists and one buffer. Copying an object between threads costs several times as much as copying
 * its values in lists, and transferring a short buffer more than copying it.
 */
export interface PackedBatch extends Columns {
  sources: DeliveryOffer['identity']['source'][];
  values: string[];
  /** `null` if the key is the value. */
  keys: (string | null)[];
  /** `null` if no offer has a second key, as under most schemes. */
  bodyKeys: (string | undefined)[] | null;
  /** `null` for none. */
  runs: (NewRun[] | null)[];
  /** All copied bodies, and the end of each; `null` for a body in `largeBodies`. */
  bodies: Uint8Array<ArrayBuffer>;
  bodyEnds: (number | null)[];
  largeBodies: Uint8Array<ArrayBuffer>[];
  /** The forms of all offers; `null` if no body was a form, as in most batches. */
  forms: DeliveryOffer['form'][] | null;
  /** `null` if no offer is of a backfill, as in nearly all batches. */
  backfills: DeliveryOffer['backfill'][] | null;
  /** `null` if no offer has a subject. */
  subjects: DeliveryOffer['subject'][] | null;
  /** `null` if no offer has a limit of the loop guard. */
  guards: DeliveryOffer['guard'][] | null;
  /** The other entries, which are few, and their positions in the batch. */
  others: Exclude<DeliveryLogEntry, DeliveryOffer>[];
  otherPositions: number[];
}

/** Packs a batch. The bodies of offers may not be read afterwards. */
export function packBatch(batch: readonly DeliveryLogEntry[]): { packed: PackedBatch; transfer: ArrayBuffer[] } {
  const offers: DeliveryOffer[] = [];
  const others: PackedBatch['others'] = [];
  const otherPositions: number[] = [];
  for (const [position, entry] of batch.entries()) {
    if (entry.kind === 'offer') offers.push(entry);
    else {
      others.push(entry);
      otherPositions.push(position);
    }
  }
  const largeBodies = offers.flatMap(({ body }) => (isTransferred(body) ? body : []));
  const packed: PackedBatch = {
    ...(Object.fromEntries(COLUMNS.map((name) => [name, offers.map((offer) => offer[name])])) as Columns),
    sources: offers.map(({ identity }) => identity.source),
    values: offers.map(({ identity }) => identity.value),
    keys: offers.map(({ identity: { key, value } }) => (key === value ? null : key)),
    bodyKeys: offers.some(({ identity }) => identity.bodyKey !== undefined)
      ? offers.map(({ identity }) => identity.bodyKey)
      : null,
    runs: offers.map(({ runs }) => (runs.length === 0 ? null : runs)),
    ...packBodies(offers),
    largeBodies,
    forms: offers.some(({ form }) => form !== null) ? offers.map(({ form }) => form) : null,
    backfills: offers.some(({ backfill }) => backfill !== undefined) ? offers.map(({ backfill }) => backfill) : null,
    subjects: offers.some(({ subject }) => subject !== undefined) ? offers.map(({ subject }) => subject) : null,
    guards: offers.some(({ guard }) => guard !== undefined) ? offers.map(({ guard }) => guard) : null,
    others,
    otherPositions,
  };
  const transfer = [packed.bodies, ...largeBodies].map(({ buffer }) => buffer);
  return { packed, transfer };
}

/** A body in a shared buffer cannot be transferred. */
function isTransferred(body: Uint8Array): boolean {
  return body.byteLength > MAX_COPIED_BYTES && body.byteLength === body.buffer.byteLength;
}

function packBodies(offers: readonly DeliveryOffer[]): Pick<PackedBatch, 'bodies' | 'bodyEnds'> {
  const sum = offers.reduce((bytes, { body }) => bytes + (isTransferred(body) ? 0 : body.byteLength), 0);
  const bodies = new Uint8Array(sum);
  let end = 0;
  const bodyEnds = offers.map(({ body }) => {
    if (isTransferred(body)) return null;
    bodies.set(body, end);
    end += body.byteLength;
    return end;
  });
  return { bodies, bodyEnds };
}

export function unpackBatch(packed: PackedBatch): DeliveryLogEntry[] {
  const batch: DeliveryLogEntry[] = [];
  const offers = unpackOffers(packed);
  let taken = 0;
  for (const [index, position] of packed.otherPositions.entries()) {
    while (batch.length < position) batch.push(offers[taken++]!);
    batch.push(packed.others[index]!);
  }
  return batch.length === 0 ? offers : batch.concat(offers.slice(taken));
}

function unpackOffers(packed: PackedBatch): DeliveryOffer[] {
  const { bodies, bodyEnds, largeBodies, forms, backfills, subjects, guards } = packed;
  let start = 0;
  let taken = 0;
  return packed.id.map((id, index) => {
    const end = bodyEnds[index]!;
    const body = end === null ? largeBodies[taken++]! : bodies.subarray(start, end);
    start = end ?? start;
    return {
      kind: 'offer',
      id,
      webhook: packed.webhook[index]!,
      size: packed.size[index]!,
      receivedAt: packed.receivedAt[index]!,
      clientAddress: packed.clientAddress[index]!,
      headers: packed.headers[index]!,
      revision: packed.revision[index]!,
      event: packed.event[index]!,
      summary: packed.summary[index]!,
      applyNumber: packed.applyNumber[index]!,
      backfill: backfills?.[index],
      identity: unpackIdentity(packed, index),
      body,
      form: forms?.[index] ?? null,
      runs: packed.runs[index] ?? [],
      subject: subjects?.[index],
      guard: guards?.[index],
    };
  });
}

function unpackIdentity({ sources, values, keys, bodyKeys }: PackedBatch, index: number): DeliveryOffer['identity'] {
  const value = values[index]!;
  const identity = { source: sources[index]!, value, key: keys[index] ?? value };
  const bodyKey = bodyKeys?.[index];
  return bodyKey === undefined ? identity : { ...identity, bodyKey };
}

/** The outcomes of a batch. Nearly all deliveries are accepted and start their runs, so 0 stands for it. */
export type PackedOutcomes = (RecordOutcome | 0)[];

const ACCEPTED: RecordOutcome = { label: 'Accepted' };

export function packOutcomes(outcomes: readonly RecordOutcome[]): PackedOutcomes {
  return outcomes.map((outcome) => (outcome.label === 'Accepted' && outcome.guarded === undefined ? 0 : outcome));
}

export function unpackOutcomes(packed: PackedOutcomes): RecordOutcome[] {
  return packed.map((outcome) => (outcome === 0 ? ACCEPTED : outcome));
}
