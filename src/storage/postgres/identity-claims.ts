import { hash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { ClientBase } from 'pg';
import type { DeliveryId } from '../../core/ids.ts';
import { type DeliveryLogEntry, type DeliveryOffer, NO_CLAIM } from '../../core/resources/delivery.ts';
import type { ClaimFinder, ClaimRetention } from '../sql/deliveries/claim-finder.ts';
import type { Schema } from '../sql/schema/schema.ts';
import { IDENTITIES } from '../sql/schema/tables.ts';
import { escapeNul } from './text-without-nul.ts';

/** The accepted delivery of an identity, if it is another one. */
export interface Duplicate {
  of: DeliveryId;
  reason: 'same_identity' | 'same_identity_other_body';
}

/** The claim of a new delivery. */
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
  ON CONFLICT (webhook, source, key) DO NOTHING RETURNING delivery`;

const FIND = `
  SELECT identities.webhook, identities.source, identities.key, identities.delivery, identities.body_hash
  FROM identities JOIN unnest($1::bigint[], $2::bigint[], $3::text[]) AS wanted (webhook, source, key)
    ON identities.webhook = wanted.webhook AND identities.source = wanted.source AND identities.key = wanted.key`;

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
    entry.kind === 'offer' && entry.identity.key !== NO_CLAIM ? [{ index, claim: toClaim(entry) }] : [],
  );
  if (offers.length === 0) return new Map();
  const first = new Map<string, NewClaim>();
  for (const { claim } of offers) if (!first.has(nameOf(claim))) first.set(nameOf(claim), claim);
  // Two transactions that claim the same identities in different orders would wait for each other.
  const ordered = [...first].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, claim]) => claim);
  const claimed = await insertClaims(client, ordered);
  const lost = ordered.filter(({ delivery }) => !claimed.has(delivery));
  for (const earlier of await findClaims(client, lost)) first.set(nameOf(earlier), earlier);
  const duplicates = new Map<number, Duplicate>();
  for (const { index, claim } of offers) {
    const { delivery: of, bodyHash } = first.get(nameOf(claim))!;
    if (of === claim.delivery) continue;
    const reason = bodyHash.equals(claim.bodyHash) ? 'same_identity' : 'same_identity_other_body';
    duplicates.set(index, { of, reason });
  }
  return duplicates;
}

function toClaim({ webhook, identity, id, body, receivedAt }: DeliveryOffer): NewClaim {
  const source = IDENTITIES.encode('source', identity.source);
  const bodyHash = hash('sha256', body, 'buffer');
  return { webhook, source, key: identity.key, delivery: id, bodyHash, acceptedAt: receivedAt };
}

function nameOf({ webhook, source, key }: Pick<NewClaim, 'webhook' | 'source' | 'key'>): string {
  return `${webhook}/${source}/${key}`;
}

/** Returns the deliveries whose identity was new. */
async function insertClaims(client: ClientBase, claims: readonly NewClaim[]): Promise<ReadonlySet<string>> {
  const values = [...keysOf(claims), claims.map((claim) => claim.delivery)];
  const others = [claims.map((claim) => claim.bodyHash), claims.map((claim) => claim.acceptedAt)];
  const { rows } = await client.query<{ delivery: string }>({
    name: 'claim_identities',
    text: CLAIM,
    values: [...values, ...others],
  });
  return new Set(rows.map(({ delivery }) => delivery));
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
