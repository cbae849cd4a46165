import { hash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { ClientBase } from 'pg';
import type { DeliveryId } from '../../domain/ids.ts';
import { type DeliveryLogEntry, type DeliveryOffer, NO_CLAIM } from '../../domain/resources/delivery.ts';
import type { ClaimFinder, ClaimRetention } from '../sql/deliveries/claim-finder.ts';
import { listClaims } from '../sql/deliveries/claimed-identity.ts';
import type { Duplicate } from '../sql/deliveries/delivery-rows.ts';
import type { Schema } from '../sql/schema/schema.ts';
import { IDENTITIES } from '../sql/schema/tables.ts';
import { escapeNul } from './text-without-nul.ts';

/** A claim of a new delivery. */
interface NewClaim {
  webhook: number;
  source: number;
  key: string;
  delivery: DeliveryId;
  bodyHash: Buffer;
  acceptedAt: number;
}

const CLAIM = `
  INSERT INTO identities (webhook, source, key, delivery, body_hash, accepted_at)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bytea[], $6::bigint[])
  ON CONFLICT (webhook, source, key) DO NOTHING RETURNING delivery, source`;

const FIND = `
  SELECT identities.webhook, identities.source, identities.key, identities.delivery, identities.body_hash
  FROM identities JOIN unnest($1::bigint[], $2::bigint[], $3::text[]) AS wanted (webhook, source, key)
    ON identities.webhook = wanted.webhook AND identities.source = wanted.source AND identities.key = wanted.key`;

const RELEASE = `
  DELETE FROM identities USING unnest($1::bigint[], $2::bigint[], $3::text[]) AS released (webhook, source, key)
  WHERE identities.webhook = released.webhook AND identities.source = released.source AND identities.key = released.key`;

/**
 * Claims the identities of a batch. The unique index decides, across all daemons: a claim waits for the end of another
 * transaction that has claimed the same identity.
 *
 * @returns for each offer that repeats an identity, its index and the accepted delivery
 */
export async function claimIdentities(
  client: ClientBase,
  batch: readonly DeliveryLogEntry[],
): Promise<ReadonlyMap<number, Duplicate>> {
  const offers = batch.flatMap((entry, index) =>
    entry.kind === 'offer' && entry.identity.key !== NO_CLAIM ? [{ index, claims: toClaims(entry) }] : [],
  );
  if (offers.length === 0) return new Map();
  const first = new Map<string, NewClaim>();
  for (const claim of offers.flatMap(({ claims }) => claims))
    if (!first.has(nameOf(claim))) first.set(nameOf(claim), claim);
  // Two transactions that claim the same identities in different orders would wait for each other.
  const ordered = [...first].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, claim]) => claim);
  const claimed = await insertClaims(client, ordered);
  const lost = ordered.filter((claim) => !claimed.has(rowOf(claim)));
  const holders = new Map((await findClaims(client, lost)).map((claim) => [nameOf(claim), claim]));
  const duplicates = decide(offers, holders);
  await release(
    client,
    ordered.filter((claim) => claimed.has(rowOf(claim)) && holders.get(nameOf(claim)) !== claim),
    holders,
  );
  return duplicates;
}

/**
 * Decides in the order of the batch: a delivery is new if nobody holds one of its keys, and then it holds all of them.
 *
 * @param holders the earlier deliveries by name of the key; gets the new ones
 */
function decide(
  offers: readonly { index: number; claims: readonly NewClaim[] }[],
  holders: Map<string, NewClaim>,
): Map<number, Duplicate> {
  const duplicates = new Map<number, Duplicate>();
  for (const { index, claims } of offers) {
    const taken = claims.find((claim) => holders.has(nameOf(claim)));
    if (taken === undefined) for (const claim of claims) holders.set(nameOf(claim), claim);
    else {
      const { delivery: of, bodyHash } = holders.get(nameOf(taken))!;
      if (of === taken.delivery) continue;
      const reason = bodyHash.equals(taken.bodyHash) ? 'same_identity' : 'same_identity_other_body';
      duplicates.set(index, { of, reason, by: IDENTITIES.decode('source', taken.source) });
    }
  }
  return duplicates;
}

/**
 * Gives up the claims of deliveries that are duplicates by their other key. The next delivery of the batch with such a key holds
 * it. Only deliveries with two keys need this.
 */
async function release(
  client: ClientBase,
  claims: readonly NewClaim[],
  holders: ReadonlyMap<string, NewClaim>,
): Promise<void> {
  if (claims.length === 0) return;
  await client.query({ name: 'release_identities', text: RELEASE, values: keysOf(claims) });
  await insertClaims(
    client,
    claims.flatMap((claim) => holders.get(nameOf(claim)) ?? []),
  );
}

function toClaims(offer: DeliveryOffer): NewClaim[] {
  const { id: delivery, body, receivedAt: acceptedAt } = offer;
  const bodyHash = hash('sha256', body, 'buffer');
  return listClaims(offer).map(({ webhook, source, key }) => {
    return { webhook, source: IDENTITIES.encode('source', source), key, delivery, bodyHash, acceptedAt };
  });
}

/** A delivery has at most one claim of each source. */
function rowOf({ delivery, source }: Pick<NewClaim, 'delivery' | 'source'>): string {
  return `${delivery}/${source}`;
}

function nameOf({ webhook, source, key }: Pick<NewClaim, 'webhook' | 'source' | 'key'>): string {
  return `${webhook}/${source}/${key}`;
}

/** Returns those that were new. */
async function insertClaims(client: ClientBase, claims: readonly NewClaim[]): Promise<ReadonlySet<string>> {
  if (claims.length === 0) return new Set();
  const values = [...keysOf(claims), claims.map((claim) => claim.delivery)];
  const others = [claims.map((claim) => claim.bodyHash), claims.map((claim) => claim.acceptedAt)];
  const { rows } = await client.query<Pick<NewClaim, 'delivery' | 'source'>>({
    name: 'claim_identities',
    text: CLAIM,
    values: [...values, ...others],
  });
  return new Set(rows.map(rowOf));
}

interface StoredClaim {
  webhook: number;
  source: number;
  key: string;
  delivery: DeliveryId;
  body_hash: Buffer;
}

async function findClaims(client: ClientBase, claims: readonly NewClaim[]): Promise<NewClaim[]> {
  if (claims.length === 0) return [];
  const { rows } = await client.query<StoredClaim>({ name: 'find_identities', text: FIND, values: keysOf(claims) });
  // Retention may have just removed one. The batch is recorded again, and then the identity is new.
  if (rows.length < claims.length) throw new ClaimEnded('the claim of an identity ended while it was repeated');
  return rows.map(({ body_hash: bodyHash, ...row }) => ({ ...row, bodyHash, acceptedAt: 0 }));
}

/** The batch can be recorded again. */
export class ClaimEnded extends Error {}

function keysOf(claims: readonly NewClaim[]): unknown[][] {
  return [
    claims.map(({ webhook }) => webhook),
    claims.map(({ source }) => source),
    claims.map(({ key }) => escapeNul(key)),
  ];
}

/** Each accepted delivery has its claim in `identities`, with a unique index. */
export function createClaimFinder(db: Kysely<Schema>): ClaimFinder {
  return {
    find: async ({ webhook, source, key }) => {
      const row = await db
        .selectFrom('identities')
        .select('delivery')
        .where('webhook', '=', webhook)
        .where('source', '=', IDENTITIES.encode('source', source))
        .where('key', '=', key)
        .executeTakeFirst();
      return (row?.delivery ?? null) as DeliveryId | null;
    },
  };
}

/** A claim stays as long as its delivery is in the log, and at least until the identity window ends. */
export const CLAIM_RETENTION: ClaimRetention = {
  depart: async (trx, deliveries, since) => {
    const ids = trx.selectFrom('deliveries').select('deliveries.id').where('deliveries.seq', 'in', deliveries);
    await trx.deleteFrom('identities').where('delivery', 'in', ids).where('accepted_at', '<', since).execute();
    return () => undefined;
  },
  selectEnded: async (db, expired) => {
    if (expired.length === 0) return expired;
    const ids = expired.map(({ delivery }) => delivery);
    const rows = await db.selectFrom('deliveries').select('id').where('id', 'in', ids).execute();
    const logged = new Set(rows.map(({ id }) => id));
    return expired.filter(({ delivery }) => !logged.has(delivery));
  },
  forget: () => undefined,
};
