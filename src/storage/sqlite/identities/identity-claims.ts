import { randomBytes } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { DeliveryId } from '../../../core/ids.ts';
import type { ClaimedIdentity, ClaimFinder } from '../../sql/deliveries/claim-finder.ts';
import { type Claim, IDENTITIES } from '../../sql/schema/tables.ts';
import { prepareInsertMany, prepareNamed } from '../statement.ts';
import { createKeyedHash, type Hash64 } from './keyed-hash.ts';
import { RowTable } from './row-table.ts';

/** The accepted delivery of an identity. */
export interface EarlierDelivery {
  delivery: DeliveryId;
  bodyHash: Uint8Array;
}

/** At least the number of sources. */
const SOURCES = 8;

interface Added {
  hash: Hash64;
  row: number;
}

/**
 * Decides whether an identity is new. The rows of `identities` are the truth. An index of them would change a random
 * page of the file for each delivery, so a table in memory finds the row, and the row itself is compared.
 *
 * The table is never ahead of the file and never behind it. It is built from the rows at start. A claim is in the table
 * before its transaction commits, so that the batch finds its own claims, and `undo` removes it if the transaction fails.
 * Only this process writes the file.
 */
export class IdentityClaims implements ClaimFinder {
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #hash = createKeyedHash({ low: randomBytes(4).readInt32LE(), high: randomBytes(4).readInt32LE() });
  #table: RowTable | null = null;
  /** What the current transaction added. */
  #added: Added[] = [];
  /** Claims without a row in the file. Their rows begin at `#firstUnwritten`. */
  #unwritten: Claim[] = [];
  #firstUnwritten = 0;

  constructor(db: Database.Database) {
    this.#statements = prepareStatements(db);
  }

  /** Builds the table. Otherwise the first use does. */
  load(): void {
    this.#loaded();
  }

  find(identity: ClaimedIdentity): DeliveryId | null {
    return this.#findEarlier(this.#loaded(), this.#hashOf(identity), identity)?.delivery ?? null;
  }

  /**
   * Claims an identity for a new delivery, or returns the delivery that has claimed it. The caller is in a transaction,
   * calls `write` before its end, and then `keep` or `undo`.
   */
  claim(claim: Claim): EarlierDelivery | null {
    const table = this.#loaded();
    const hash = this.#hashOf(claim);
    const earlier = this.#findEarlier(table, hash, claim);
    if (earlier !== null) return earlier;
    if (this.#unwritten.length === 0) this.#firstUnwritten = this.#statements.newest.get({})!.seq + 1;
    const row = this.#firstUnwritten + this.#unwritten.length;
    table.add(hash, row);
    this.#added.push({ hash: { low: hash.low, high: hash.high }, row });
    this.#unwritten.push(claim);
    return null;
  }

  /** Writes the rows of the claims. */
  write(): void {
    this.#statements.insert(this.#unwritten, this.#firstUnwritten);
    this.#unwritten = [];
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
    for (const { hash, row } of this.#added.splice(mark)) this.#table?.remove(hash, row);
    this.#unwritten = [];
  }

  forget(rows: readonly (ClaimedIdentity & { seq: number })[]): void {
    for (const row of rows) this.#table?.remove(this.#hashOf(row), row.seq);
  }

  #findEarlier(table: RowTable, hash: Readonly<Hash64>, identity: ClaimedIdentity): EarlierDelivery | null {
    let earlier: EarlierDelivery | null = null;
    table.find(hash, (row) => {
      const claim = this.#readRow(row);
      if (claim === null || !isSame(claim, identity)) return false;
      earlier = claim;
      return true;
    });
    return earlier;
  }

  /** `null` if the file has no such row. */
  #readRow(row: number): Omit<Claim, 'acceptedAt'> | null {
    const unwritten = this.#unwritten[row - this.#firstUnwritten];
    if (unwritten !== undefined) return unwritten;
    const stored = this.#statements.read.get({ seq: row });
    if (stored === undefined) return null;
    const { webhook, source, key, delivery, body_hash: bodyHash } = stored;
    return { webhook, source: IDENTITIES.decode('source', source), key, delivery, bodyHash };
  }

  #hashOf({ webhook, source, key }: ClaimedIdentity): Readonly<Hash64> {
    return this.#hash(webhook * SOURCES + IDENTITIES.encode('source', source), key);
  }

  #loaded(): RowTable {
    if (this.#table !== null) return this.#table;
    const { count, page } = this.#statements;
    const table = new RowTable(count.get({})!.rows);
    let afterSeq = 0;
    for (let rows = page.all({ afterSeq }); rows.length > 0; rows = page.all({ afterSeq })) {
      for (const { seq, webhook, source, key } of rows) table.add(this.#hash(webhook * SOURCES + source, key), seq);
      afterSeq = rows.at(-1)!.seq;
    }
    this.#table = table;
    return table;
  }
}

function isSame(one: ClaimedIdentity, other: ClaimedIdentity): boolean {
  return one.key === other.key && one.webhook === other.webhook && one.source === other.source;
}

function prepareStatements(db: Database.Database) {
  return {
    newest: prepareNamed<object, { seq: number }>(db, 'SELECT coalesce(max(seq), 0) AS seq FROM identities'),
    read: prepareNamed<
      { seq: number },
      { webhook: number; source: number; key: string; delivery: DeliveryId; body_hash: Buffer }
    >(db, 'SELECT webhook, source, key, delivery, body_hash FROM identities WHERE seq = @seq'),
    count: prepareNamed<object, { rows: number }>(db, 'SELECT count(*) AS rows FROM identities'),
    // Reading pages takes two thirds of the time of an iterator. In short pages, no row becomes old for the garbage collector.
    page: prepareNamed<{ afterSeq: number }, { seq: number; webhook: number; source: number; key: string }>(
      db,
      'SELECT seq, webhook, source, key FROM identities WHERE seq > @afterSeq ORDER BY seq LIMIT 100',
    ),
    insert: prepareInsertMany(db, 'identities', IDENTITIES, 'seq'),
  };
}
