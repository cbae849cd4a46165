import { randomBytes } from 'node:crypto';
import { createIdSource } from '../../src/domain/ids.ts';
import {
  type DeliveryLabel,
  type DeliveryOffer,
  type IdentitySource,
  type NewRun,
  NO_CLAIM,
  type RejectionEntry,
  type ReplayEntry,
} from '../../src/domain/resources/delivery.ts';

export const ids = createIdSource(randomBytes);

/** 2026-01-02T03:04:05.678Z */
export const START_MS = 1_767_323_045_678;

interface OfferParts {
  event?: string;
  headers?: string;
  webhook?: number;
  source?: IdentitySource;
  key?: string;
  /** The second key. Omitted for none. */
  bodyKey?: string | undefined;
  body?: string | Uint8Array;
  form?: Uint8Array<ArrayBuffer>;
  at?: number;
  runs?: { automation: string; version: number }[];
  revision?: string | null;
}

/** A delivery that passed every check, new unless `key` is given. With `NO_CLAIM` it is new too, and its ID is `shared`. */
export function buildOffer(parts: OfferParts = {}): DeliveryOffer {
  const { webhook = 1, source = 'header', body = '{"level":"error"}', at = START_MS, bodyKey } = parts;
  const id = ids.deliveryId(at);
  const key = parts.key ?? `key of ${id}`;
  // A copy has a separate buffer, because short buffers of Node.js share one.
  const bytes = new Uint8Array(Buffer.from(body as string));
  const runs: NewRun[] = (parts.runs ?? []).map((run) => ({ id: ids.runId(at), ...run }));
  return {
    kind: 'offer',
    id,
    webhook,
    size: bytes.byteLength,
    receivedAt: at,
    clientAddress: '192.0.2.7',
    headers: parts.headers ?? null,
    revision: parts.revision === undefined ? 'c0ffee' : parts.revision,
    event: parts.event ?? null,
    summary: null,
    identity: { source, value: key === NO_CLAIM ? 'shared' : key, key, ...(bodyKey === undefined ? {} : { bodyKey }) },
    body: bytes,
    form: parts.form ?? null,
    applyNumber: 1,
    runs,
  };
}

/** A replay of the same delivery, requested by a user. */
export function buildReplay(of: Pick<DeliveryOffer, 'id' | 'identity'>, parts: OfferParts = {}): ReplayEntry {
  const { identity: _, ...offer } = buildOffer(parts);
  const { source, value } = of.identity;
  return { ...offer, kind: 'replay', replayOf: of.id, replay: null, only: null, identity: { source, value } };
}

/** A rejected request. */
export function buildRejection(
  parts: { webhook?: number; label?: DeliveryLabel; at?: number; count?: number } = {},
): RejectionEntry {
  const { webhook = 1, label = 'Rejected (auth)', at = START_MS, count = 1 } = parts;
  return {
    kind: 'rejection',
    id: ids.deliveryId(at),
    webhook,
    size: 12,
    receivedAt: at,
    clientAddress: '192.0.2.8',
    headers: null,
    label: label as RejectionEntry['label'],
    reason: 'bad_credential',
    detail: null,
    identity: null,
    count,
    revision: 'c0ffee',
  };
}
