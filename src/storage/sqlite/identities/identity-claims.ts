import { randomBytes } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { DeliveryId } from '../../../domain/ids.ts';
import { DELIVERY_LABELS, type IdentitySource } from '../../../domain/resources/delivery.ts';
import type { ClaimFinder } from '../../sql/deliveries/claim-finder.ts';
import type { ClaimedIdentity } from '../../sql/deliveries/claimed-identity.ts';
import { IDENTITIES } from '../../sql/schema/tables.ts';
import { prepareNamed, type Statement } from '../statement.ts';
import { createKeyedHash, type Hash64 } from './keyed-hash.ts';
import { RowTable } from './row-table.ts';

/** The accepted delivery of an identity: its row in the log, or the hash of its body if it has left the log. */
export type EarlierDelivery = { delivery: DeliveryId } & ({ logged: number } | { bodyHash: Uint8Array });

/** The source of the key that both deliveries have. */
type Earlier = EarlierDelivery & { by: IdentitySource };

/** The identity of an accepted delivery that retention removes from the log. */
export interface DepartedClaim extends ClaimedIdentity {
  /** The row in `deliveries` that was removed. */
  logged: number;
  /** The row in `identities` that has the claim now; `null` if the claim has ended. */
  kept: number | null;
}

interface Added {
  claim: ClaimedIdentity;
  delivery: DeliveryId;
  hash: Hash64;
  row: number;
}

/** The rows of `deliveries` and those of `identities`, by the hash of their identity. */
interface Tables {
  logged: RowTable;
  departed: RowTable;
}

/** At least the number of sources. */
const SOURCES = 8;

const BODY_HASH = IDENTITIES.encode('source', 'body_hash');

/**
 * Decides whether an identity is new. The row of an accepted delivery is its claim; `identities` has the claims of those
 * that left the log. An index of the identities would change a random page of the file for each delivery, so tables in
 * memory find the row, and the row itself is compared.
 *
 * The tables are never ahead of the file and never behind it. They are built from the rows at start. A claim is in its
 * table before its transaction commits, so that the batch finds its own claims, and `undo` removes it if the transaction
 * fails. Only this process writes the file.
 */
export class IdentityClaims implements ClaimFinder {
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #hash = createKeyedHash({ low: randomBytes(4).readInt32LE(), high: randomBytes(4).readInt32LE() });
  #tables: Tables | null = null;
  /** What the current transaction added. Its rows may not be in the file yet. */
  #added: Added[] = [];

  constructor(db: Database.Database) {
    this.#statements = prepareStatements(db);
  }

  /** Builds the tables. Otherwise the first use does. */
  load(): void {
    this.#loaded();
  }

  async find(identity: ClaimedIdentity): Promise<DeliveryId | null> {
    const tables = this.#loaded();
    return this.#findEarlier(tables, this.#hashOf(identity), identity)?.delivery ?? null;
  }

  /**
   * Claims all identities for a new delivery, or none of them and returns the delivery that has claimed the first one. The
   * caller is in a transaction, in which it inserts the delivery, and then calls `keep` or `undo`.
   *
   * @param row the number of the delivery in `deliveries`
   */
  claim(claims: readonly ClaimedIdentity[], delivery: DeliveryId, row: number): Earlier | null {
    const tables = this.#loaded();
    for (const claim of claims) {
      const earlier = this.#findEarlier(tables, this.#hashOf(claim), claim);
      if (earlier !== null) return { ...earlier, by: claim.source };
    }
    for (const claim of claims) {
      const { low, high } = this.#hashOf(claim);
      tables.logged.add({ low, high }, row);
      this.#added.push({ claim, delivery, hash: { low, high }, row });
    }
    return null;
  }

  /** The transaction was committed. */
  keep(): void {
    this.#added = [];
  }

  /** A point in the current transaction for `undo`. */
  mark(): number {
    return this.#added.length;
  }

  /** The transaction, or the part of it since `mark`, was rolled back. */
  undo(mark = 0): void {
    for (const { hash, row } of this.#added.splice(mark)) this.#tables?.logged.remove(hash, row);
  }

  /** Call it after rows of `deliveries` were removed. */
  depart(claims: readonly DepartedClaim[]): void {
    if (this.#tables === null) return;
    const { logged, departed } = this.#tables;
    for (const claim of claims) {
      const hash = this.#hashOf(claim);
      logged.remove(hash, claim.logged);
      if (claim.kept !== null) departed.add(hash, claim.kept);
    }
  }

  /** Call it after rows of `identities` were removed. */
  forget(rows: readonly (ClaimedIdentity & { seq: number })[]): void {
    for (const row of rows) this.#tables?.departed.remove(this.#hashOf(row), row.seq);
  }

  #findEarlier(
    { logged, departed }: Tables,
    hash: Readonly<Hash64>,
    identity: ClaimedIdentity,
  ): EarlierDelivery | null {
    return (
      findClaim(logged, hash, (row) => this.#readLogged(row, identity)) ??
      findClaim(departed, hash, (row) => this.#readDeparted(row, identity))
    );
  }

  /** `null` if the row does not claim the identity. */
  #readLogged(row: number, identity: ClaimedIdentity): EarlierDelivery | null {
    const added = this.#added.filter((one) => one.row === row);
    if (added.length > 0) {
      const same = added.find(({ claim }) => isSame(claim, identity));
      return same === undefined ? null : { delivery: same.delivery, logged: row };
    }
    const stored = this.#statements.logged.get({ seq: row });
    if (stored === undefined || !listKeys(stored).some((claim) => isSame(claim, identity))) return null;
    return { delivery: stored.delivery, logged: row };
  }

  #readDeparted(row: number, identity: ClaimedIdentity): EarlierDelivery | null {
    const stored = this.#statements.departed.get({ seq: row });
    if (stored === undefined || !isSame(readIdentity(stored), identity)) return null;
    return { delivery: stored.delivery, bodyHash: stored.body_hash };
  }

  #addRow(table: RowTable, { seq, webhook, source, key, body_key: bodyKey }: ClaimRow): void {
    table.add(this.#hash(webhook * SOURCES + source, key), seq);
    if (bodyKey != null) table.add(this.#hash(webhook * SOURCES + BODY_HASH, bodyKey), seq);
  }

  /** The result is valid until the next hash. */
  #hashOf({ webhook, source, key }: ClaimedIdentity): Readonly<Hash64> {
    return this.#hash(webhook * SOURCES + IDENTITIES.encode('source', source), key);
  }

  #loaded(): Tables {
    const { loggedPage, loggedSpan, departedPage, departedSpan } = this.#statements;
    this.#tables ??= {
      logged: this.#readTable(loggedPage, loggedSpan.get({})!.rows),
      departed: this.#readTable(departedPage, departedSpan.get({})!.rows),
    };
    return this.#tables;
  }

  /** @param expected without it, the table grows in steps whose memory the C library keeps: half as much again */
  #readTable(page: Statement<{ afterSeq: number }, ClaimRow>, expected: number): RowTable {
    const table = new RowTable(expected);
    let afterSeq = 0;
    for (let rows = page.all({ afterSeq }); rows.length > 0; rows = page.all({ afterSeq })) {
      for (const row of rows) this.#addRow(table, row);
      afterSeq = rows.at(-1)!.seq;
    }
    return table;
  }
}

/** @param read reads the row with a number; `null` if the file has no such row with the identity */
function findClaim(
  table: RowTable,
  hash: Readonly<Hash64>,
  read: (row: number) => EarlierDelivery | null,
): EarlierDelivery | null {
  let earlier: EarlierDelivery | null = null;
  table.find(hash, (row) => {
    earlier = read(row);
    return earlier !== null;
  });
  return earlier;
}

function isSame(one: ClaimedIdentity, other: ClaimedIdentity): boolean {
  return one.key === other.key && one.webhook === other.webhook && one.source === other.source;
}

/** The columns of a claim in either table. */
interface ClaimRow {
  seq: number;
  webhook: number;
  source: number;
  key: string;
  /** The second key. A claim that has left the log has one row for each key. */
  body_key?: string | null;
}

function readIdentity({ webhook, source, key }: ClaimRow): ClaimedIdentity {
  return { webhook, source: IDENTITIES.decode('source', source), key };
}

/** The keys that a row claims. */
function listKeys(row: ClaimRow): ClaimedIdentity[] {
  const { webhook, body_key: key } = row;
  return key == null ? [readIdentity(row)] : [readIdentity(row), { webhook, source: 'body_hash', key }];
}

const ACCEPTED = DELIVERY_LABELS.indexOf('Accepted');
const LOGGED = 'SELECT seq, webhook, identity_source AS source, coalesce(identity_key, identity) AS key, body_key';
/** A replay, and a delivery whose key is `NO_CLAIM`, claim nothing. */
export const LOGGED_CLAIMS = `label = ${ACCEPTED} AND replay_of IS NULL AND coalesce(identity_key, identity) <> ''`;

/** At least the number of rows. To count them would read all of them. */
function composeSpan(table: 'deliveries' | 'identities'): string {
  return `SELECT coalesce((SELECT max(seq) FROM ${table}) - (SELECT min(seq) FROM ${table}) + 1, 0) AS rows`;
}

function prepareStatements(db: Database.Database) {
  return {
    logged: prepareNamed<{ seq: number }, ClaimRow & { delivery: DeliveryId }>(
      db,
      `${LOGGED}, id AS delivery FROM deliveries WHERE seq = @seq AND ${LOGGED_CLAIMS}`,
    ),
    departed: prepareNamed<{ seq: number }, ClaimRow & { delivery: DeliveryId; body_hash: Buffer }>(
      db,
      'SELECT seq, webhook, source, key, delivery, body_hash FROM identities WHERE seq = @seq',
    ),
    loggedSpan: prepareNamed<object, { rows: number }>(db, composeSpan('deliveries')),
    departedSpan: prepareNamed<object, { rows: number }>(db, composeSpan('identities')),
    // Reading pages takes two thirds of the time of an iterator. In short pages, no row becomes old for the garbage collector.
    loggedPage: prepareNamed<{ afterSeq: number }, ClaimRow>(
      db,
      `${LOGGED} FROM deliveries WHERE seq > @afterSeq AND ${LOGGED_CLAIMS} ORDER BY seq LIMIT 100`,
    ),
    departedPage: prepareNamed<{ afterSeq: number }, ClaimRow>(
      db,
      'SELECT seq, webhook, source, key FROM identities WHERE seq > @afterSeq ORDER BY seq LIMIT 100',
    ),
  };
}
