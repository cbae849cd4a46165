import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DELIVERY_LABELS } from '../../src/domain/resources/delivery.ts';
import { identityOf, type Ledger, type Message } from './delivery-load.ts';

export type BrokenPromise =
  | 'database damaged'
  | 'delivery lost'
  | 'payload changed'
  | 'accepted twice'
  | 'accepted though rejected'
  | 'accepted though never sent'
  | 'run lost or invented'
  | 'run started twice'
  | 'run not ended as it should'
  | 'run ended as interrupted without a ticket';

/** A guarantee of the daemon and a case in which it was violated. */
export interface Violation {
  promise: BrokenPromise;
  about: string;
}

export interface Evidence {
  /** Data directory of a daemon that has ended cleanly, with nothing queued or running. */
  dataDir: string;
  ledger: Ledger;
  automations: readonly string[];
  /** One line `<run> <attempt>` for each start of the command, written by the command. */
  marksFile: string;
}

interface AcceptedRow {
  seq: number;
  id: string;
  identity: string;
  body: Buffer | null;
}

interface RunRow {
  id: string;
  delivery: number;
  automation: string;
  state: string;
  attempt: number;
  error: string | null;
}

/** Compares what senders and commands recorded with the database. An empty result means that every guarantee was kept. */
export function findBrokenPromises(evidence: Evidence): Violation[] {
  const db = new Database(join(evidence.dataDir, 'dockbell.db'), { readonly: true });
  try {
    const accepted = db
      .prepare<[number], AcceptedRow>(
        'SELECT seq, id, identity, body FROM deliveries LEFT JOIN delivery_contents ON delivery = seq WHERE label = ?',
      )
      .all(DELIVERY_LABELS.indexOf('Accepted'));
    const runs = db.prepare<[], RunRow>('SELECT id, delivery, automation, state, attempt, error FROM runs').all();
    return [
      ...checkDatabase(db),
      ...checkAnswers(db, evidence.ledger),
      ...checkAccepted(evidence.ledger, accepted),
      ...checkBirths(evidence, accepted, runs),
      ...checkEnds(evidence, runs),
    ];
  } finally {
    db.close();
  }
}

function checkDatabase(db: Database.Database): Violation[] {
  const found = db.pragma('integrity_check', { simple: true });
  return found === 'ok' ? [] : [{ promise: 'database damaged', about: String(found) }];
}

/** Each `202` has a separate row, accepted or duplicate, and the first of them is the accepted one. */
function checkAnswers(db: Database.Database, ledger: Ledger): Violation[] {
  const rows = db
    .prepare<[number], { identity: string; rows: number; accepted: number }>(
      'SELECT identity, count(*) AS rows, sum(label = 0) AS accepted FROM deliveries WHERE label <= ? GROUP BY identity',
    )
    .all(DELIVERY_LABELS.indexOf('Duplicate'));
  const known = new Map(rows.map((row) => [row.identity, row]));
  const violations: Violation[] = [];
  for (const message of ledger) {
    const about = describe(message);
    const row = known.get(identityOf(message)) ?? { rows: 0, accepted: 0 };
    if (row.rows < message.accepted) violations.push({ promise: 'delivery lost', about });
    if (message.accepted > 0 && row.accepted === 0) violations.push({ promise: 'delivery lost', about });
    if (row.accepted > 1) violations.push({ promise: 'accepted twice', about });
  }
  return violations;
}

function checkAccepted(ledger: Ledger, accepted: readonly AcceptedRow[]): Violation[] {
  const sent = new Map(ledger.map((message) => [identityOf(message), message]));
  return accepted.flatMap((row): Violation[] => {
    const message = sent.get(row.identity);
    const about = `${row.id} ${row.identity}`;
    if (message === undefined) return [{ promise: 'accepted though never sent', about }];
    if (!message.isSound || message.refused > 0) return [{ promise: 'accepted though rejected', about }];
    return row.body?.equals(Buffer.from(message.body)) ? [] : [{ promise: 'payload changed', about }];
  });
}

/** One run for each automation that the payload matches, and no others. */
function checkBirths(
  { ledger, automations }: Evidence,
  accepted: readonly AcceptedRow[],
  runs: readonly RunRow[],
): Violation[] {
  const starting = new Set(ledger.filter((message) => message.startsRuns).map(identityOf));
  const expected = accepted
    .filter((row) => starting.has(row.identity))
    .flatMap((row) => automations.map((name) => `${row.seq} ${name}`));
  const born = runs.map((run) => `${run.delivery} ${run.automation}`);
  return differences(expected, born).map((about) => ({ promise: 'run lost or invented', about }));
}

/** Entries that occur more often in one list than in the other. */
function differences(expected: readonly string[], found: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const key of expected) counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const key of found) counts.set(key, (counts.get(key) ?? 0) - 1);
  return [...counts].filter(([, count]) => count !== 0).map(([key]) => key);
}

/**
 * A run that succeeded was started once. A run that a crash aborted ended as interrupted, was started at most once and
 * has its start record. Without one, it was never started, so the next daemon had to start it.
 */
function checkEnds({ dataDir, marksFile }: Evidence, runs: readonly RunRow[]): Violation[] {
  const marks = countMarks(marksFile);
  const violations: Violation[] = [];
  for (const { id, state, attempt, error } of runs) {
    const about = `${id} ${state} ${error ?? ''}`.trim();
    const starts = marks.get(`${id} ${attempt}`) ?? 0;
    marks.delete(`${id} ${attempt}`);
    const isInterrupted = state === 'failed' && error === 'interrupted';
    if (starts > 1) violations.push({ promise: 'run started twice', about: `${about}: ${starts} times` });
    if (!isInterrupted && (state !== 'succeeded' || starts === 0))
      violations.push({ promise: 'run not ended as it should', about: `${about}: ${starts} starts` });
    if (isInterrupted && !existsSync(join(dataDir, 'tickets', id, String(attempt))))
      violations.push({ promise: 'run ended as interrupted without a ticket', about });
  }
  for (const mark of marks.keys()) violations.push({ promise: 'run lost or invented', about: `mark ${mark}` });
  return violations;
}

function countMarks(file: string): Map<string, number> {
  const marks = new Map<string, number>();
  if (!existsSync(file)) return marks;
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) marks.set(line, (marks.get(line) ?? 0) + 1);
  return marks;
}

function describe(message: Message): string {
  const { accepted, refused, unknown } = message;
  return `${identityOf(message)} (accepted ${accepted}, rejected ${refused}, unknown ${unknown})`;
}
