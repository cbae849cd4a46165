import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookUid } from '../../src/domain/ids.ts';
import type { Storage } from '../../src/domain/ports/storage.ts';
import { ENTRY_LABELS } from '../../src/domain/resources/delivery.ts';
import { openDatabase } from '../../src/storage/sqlite/disk/open-database.ts';
import { createSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { applyOneOfEach, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { createDatabaseFile } from '../helpers/new-database.ts';
import { useFolder } from '../helpers/with-storage.ts';

const PAGE = { limit: 50, cursor: null };
const NEXT_PAGE = { limit: 50, cursor: Buffer.from('s1000').toString('base64url') };
const RUNS = { factory: FACTORY };
const AUDIT = { actor: null, object: null, outcome: null };
const POLICY = { deliveriesMs: 1, minDeliveries: 50, identitiesMs: 1, runsMs: 1, auditMs: 1, secretVersionsMs: 1 };

const DAY_MS = 86_400_000;
/** An hour before the runs were created. */
const CREATED_MS = Math.floor(START_MS / 3_600_000 - 1) * 3_600_000;

/** Each operation with the tables that it may scan completely. */
const OPERATIONS: [name: string, run: (storage: Storage, uid: WebhookUid) => Promise<unknown>, mayScan: string[]][] = [
  ['deliveries', (s, uid) => s.deliveryReader.list({ webhookUid: uid, label: null, ...PAGE }), []],
  ['deliveries after a cursor', (s, uid) => s.deliveryReader.list({ webhookUid: uid, label: null, ...NEXT_PAGE }), []],
  ['accepted ones', (s, uid) => s.deliveryReader.list({ webhookUid: uid, label: 'Accepted', ...NEXT_PAGE }), []],
  ['rejected ones', (s, uid) => s.deliveryReader.list({ webhookUid: uid, label: 'Rejected (auth)', ...PAGE }), []],
  ['deliveries of a factory', (s) => s.deliveryReader.list({ factory: FACTORY, label: null, ...NEXT_PAGE }), []],
  [
    'a delivery ID',
    (s, uid) => s.deliveryReader.list({ webhookUid: uid, label: null, identity: 'a', ...NEXT_PAGE }),
    [],
  ],
  [
    'a delivery ID under a label',
    (s, uid) => s.deliveryReader.list({ webhookUid: uid, label: 'Accepted', identity: 'a', ...PAGE }),
    [],
  ],
  [
    'deliveries of a time',
    (s, uid) => s.deliveryReader.list({ webhookUid: uid, label: null, fromAt: 1, untilAt: 2, ...PAGE }),
    [],
  ],
  [
    'hourly deliveries of a day',
    (s) => s.activityReader.deliveries({ factory: FACTORY, fromAt: 0, untilAt: DAY_MS }),
    [],
  ],
  [
    'runs of a day',
    (s) => s.activityReader.runs({ factory: FACTORY, fromAt: CREATED_MS, untilAt: CREATED_MS + DAY_MS }),
    [],
  ],
  ['one delivery', (s) => s.deliveryReader.get('dlv_a'), []],
  ['one evaluation', (s) => s.deliveryReader.evaluation('dlv_a'), []],
  [
    'listeners',
    (s, uid) => s.deliveryReader.listeners({ webhook: uid, applyNumber: 1, names: null, after: 'a', limit: 9 }),
    [],
  ],
  ['one payload', (s) => s.deliveryReader.payload('dlv_a'), []],
  ['keys of stored payloads', (s) => s.storedPayloads.keys({ webhook: 'wh_a', since: 1, before: 9, limit: 9 }), []],
  ['stored payloads', (s) => s.storedPayloads.read([1, 2, 3], 1_000_000), []],
  ['runs', (s) => s.runReader.list({ ...RUNS, ...PAGE }), []],
  ['runs after a cursor', (s) => s.runReader.list({ ...RUNS, ...NEXT_PAGE }), []],
  ['runs of a revision', (s) => s.runReader.list({ ...RUNS, revision: 'a', webhook: 'a', sinceAt: 1, ...PAGE }), []],
  ['runs of a delivery', (s) => s.runReader.list({ ...RUNS, delivery: 'dlv_a', ...PAGE }), []],
  ['failed runs', (s) => s.runReader.list({ ...RUNS, state: 'failed', ...NEXT_PAGE }), []],
  [
    'positions in the queue',
    (s) => s.runReader.queuePositions({ factory: FACTORY, runs: ['run_a', 'run_b'] }),
    ['first', '(subquery-4)'],
  ],
  ['the oldest queued runs', (s) => s.runReader.oldestQueued(FACTORY), []],
  ['budgets', (s) => s.runReader.automationBudgets({ at: 1, limit: 9 }), ['automation_versions']],
  ['starts of a factory', (s) => s.runReader.factoryStarts({ factory: FACTORY, at: 1, perMs: 1 }), []],
  ['what fails', (s) => s.inventoryReader.failing(), ['factories']],
  ['totals of runs', (s) => s.inventoryReader.runTotals({ factory: FACTORY, automation: 'a' }, 10), []],
  ['automations with failed runs', (s) => s.inventoryReader.failedAutomations(FACTORY, 10), []],
  ['automations with the results of their runs', (s) => s.inventoryReader.automations(FACTORY), []],
  ['the end of a run', (s) => endRun(s), []],
  ['one run', (s) => s.runReader.get('run_a'), []],
  ['unusable secrets', (s) => s.inventoryReader.unusableSecrets(FACTORY), ['listed', 'json_each']],
  ['a claim of runs', (s) => s.runQueue.claim({ factory: FACTORY, executor: 'command', limit: 4, at: 1 }), []],
  ['a cancelled run', (s) => s.runQueue.cancelQueued({ id: 'run_a', at: 1 }), []],
  ['runs left running', (s) => s.runQueue.running('command'), []],
  ['runs that receivers have accepted', (s) => s.runQueue.accepted(), []],
  ['an acceptance', (s) => s.runQueue.accept({ id: 'run_a', attempt: 1, heldUntil: 1 }), []],
  ['a token of a run', (s) => s.runTokens.findByHash(new Uint8Array(32)), []],
  ['a new token of a run', (s) => s.runTokens.insert({ run: 'run_a', attempt: 1, hash: new Uint8Array(32) }), []],
  ['counts', (s) => s.inventoryReader.counts(FACTORY), []],
  ['webhooks', (s) => s.inventoryReader.webhooks(FACTORY), []],
  ['reconciliations', (s) => s.reconciliationReader.list({ factory: FACTORY, ...NEXT_PAGE }), []],
  ['the last reconciliation', (s) => s.inventory.lastReconciliation(FACTORY), []],
  ['a notification', (s) => s.noticeQueue.next({ factory: FACTORY, target: 'a' }), []],
  ['the newest notification', (s) => s.noticeQueue.newest({ factory: FACTORY, target: 'a' }), []],
  ['notifications that are due', (s) => s.noticeQueue.retryNow({ factory: FACTORY, target: 'a' }, 1), []],
  ['a token', (s) => s.tokens.findByHash(new Uint8Array(32)), []],
  ['a session', (s) => s.sessions.find(new Uint8Array(32), 1), []],
  ['the sessions of a user', (s) => s.sessions.listOf({ user: 'usr_a' }, 1), []],
  ['counts of unlogged requests', (s, uid) => s.unloggedCounts.list({ webhookUid: uid, sinceAt: 1 }), []],
  ['a login link', (s) => s.loginLinks.take(new Uint8Array(32), 1), []],
  ['a user by name', (s) => s.users.findLocal('alice'), []],
  ['the audit log', (s) => s.auditLog.list({ ...AUDIT, ...PAGE }), []],
  ['the audit log after a cursor', (s) => s.auditLog.list({ ...AUDIT, ...NEXT_PAGE }), []],
  ['changes by a user', (s) => s.auditLog.list({ ...AUDIT, actor: 'usr_a', ...NEXT_PAGE }), []],
  ['reads', (s) => s.auditLog.list({ ...AUDIT, include: 'reads', ...PAGE }), []],
  ['changes of an object', (s) => s.auditLog.list({ ...AUDIT, object: 'a', ...NEXT_PAGE }), []],
  ['rejected changes', (s) => s.auditLog.list({ ...AUDIT, outcome: 'refused', ...PAGE }), []],
  ['changes of a time', (s) => s.auditLog.list({ ...AUDIT, fromAt: 1, untilAt: 2, ...PAGE }), []],
  // Retention scans small tables completely, and only the oldest rows of growing tables.
  [
    'retention',
    (s) => s.retention.prune(POLICY, 1e15),
    // `stored`: the agent files of revisions.
    ['factories', 'automation_versions', 'automations', 'replays', 'secret_versions', 'stored', 'webhooks'],
  ],
];

async function endRun({ runQueue }: Storage): Promise<void> {
  const {
    inputs: [claimed],
  } = await runQueue.claim({ factory: FACTORY, executor: 'command', limit: 1, at: 1 });
  const result = { state: 'failed', error: null, exitCode: 1 } as const;
  await runQueue.finish({ id: claimed!.run.id, attempt: 1, result, at: 1 });
}

const NEXT_CURSOR = NEXT_PAGE.cursor;

/** All combinations of filters in the management API, with the steps of their plan for one webhook. */
const SEARCHES = [false, true].flatMap((isOfFactory) =>
  ([null, 'Rejected (auth)'] as const).flatMap((label) =>
    [undefined, 'a'].flatMap((identity) =>
      [undefined, 1].flatMap((fromAt) =>
        [undefined, START_MS].flatMap((untilAt) =>
          [null, NEXT_CURSOR].map((cursor) => {
            const parts = { webhook: !isOfFactory, label, identity, from: fromAt, to: untilAt, cursor };
            const named = Object.entries(parts).flatMap(([key, value]) => (value ? [key] : []));
            const name = named.join(', ') || 'nothing';
            return { name, isOfFactory, label, identity, fromAt, untilAt, cursor, steps: listSteps(label, identity) };
          }),
        ),
      ),
    ),
  ),
);

/** The entries of each label are merged. Entries with a delivery ID come from its claim and from an index. */
function listSteps(label: string | null, identity: string | undefined): string[] {
  if (identity !== undefined) {
    return ['deliveries_1 (id=?)', 'deliveries_by_identity (webhook=? AND identity=? AND seq>? AND seq<?)'];
  }
  const step = 'delivery_listing USING PRIMARY KEY (webhook=? AND label=? AND seq>? AND seq<?)';
  return Array(label === null ? ENTRY_LABELS.length : 1).fill(step);
}

describe('every query of the storage', () => {
  const folder = useFolder();
  const statements: { sql: string; plan: string[] }[] = [];
  let storage: Storage;
  let uid: WebhookUid;
  let db: Database.Database;

  beforeEach(async () => {
    const file = join(folder.path, 'dockbell.db');
    createDatabaseFile(file);
    db = openDatabase(file);
    storage = createSqliteStorage(recordPlans(db));
    const { webhook, version, uid: applied } = await applyOneOfEach(storage);
    uid = applied as WebhookUid;
    const runs = [{ automation: 'fix-errors', version }];
    await storage.deliveryLog.record(['a', 'b', 'c'].map((key) => buildOffer({ webhook, key, runs })));
    statements.length = 0;
  });
  afterEach(() => db.close());

  /** The same database, which records the plan of each statement that is prepared from now on. */
  function recordPlans(database: Database.Database): Database.Database {
    const prepare = database.prepare.bind(database);
    database.prepare = ((sql: string) => {
      if (/^\s*(select|update|delete|insert)/i.test(sql)) {
        const parameters = sql.match(/\?/g)?.map(() => 1) ?? [];
        const steps = prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[];
        statements.push({ sql, plan: steps.map((step) => step.detail) });
      }
      return prepare(sql);
    }) as typeof database.prepare;
    return database;
  }

  it.each(OPERATIONS)('finds %s by an index, without sorting pages', async (_, run, mayScan) => {
    await run(storage, uid);
    expect(statements).not.toEqual([]);
    for (const { sql, plan } of statements) {
      const scans = plan.filter((step) => /^SCAN (?!CONSTANT ROW|\d+-ROW VALUES CLAUSE)/.test(step));
      const unexpected = scans.filter((step) => !mayScan.includes(step.split(' ')[1]!));
      expect(unexpected, sql).toEqual([]);
    }
    const pages = statements.filter(({ sql }) => /limit \?/i.test(sql));
    for (const { sql, plan } of pages) {
      expect(
        plan.filter((step) => step.includes('TEMP B-TREE')),
        sql,
      ).toEqual([]);
    }
  });

  it('reads indexes of the log in page order, with every combination of filters', async () => {
    for (const { name, isOfFactory, steps, ...search } of SEARCHES) {
      statements.length = 0;
      const of = isOfFactory ? { factory: FACTORY } : { webhookUid: uid };
      await storage.deliveryReader.list({ ...of, ...search, limit: 50 });
      const plan = statements.flatMap((statement) => statement.plan);
      const reads = plan.filter((step) => /SEARCH (deliveries .*deliveries_(by|1)|delivery_listing)/.test(step));
      expect(reads, `by ${name}`).toEqual(steps.map((step) => expect.stringContaining(step)));
    }
  });

  it('counts runs from an index only', async () => {
    await storage.activityReader.runs({ factory: FACTORY, fromAt: CREATED_MS, untilAt: CREATED_MS + DAY_MS });
    const plan = statements.flatMap((statement) => statement.plan).filter((step) => step.includes('runs_by_state'));
    expect(plan.length).toBeGreaterThan(4);
    for (const step of plan)
      expect(step).toMatch(/COVERING INDEX runs_by_state \(state=\? AND factory=\? AND seq>\? AND seq<\?\)/);
  });

  it('finds the runs to claim without reading those that ended or wait', async () => {
    await storage.runQueue.claim({ factory: FACTORY, executor: 'command', limit: 4, at: 1 });
    const plan = statements.flatMap((statement) => statement.plan);
    expect(plan).toContainEqual(
      expect.stringContaining('runs_claimable (factory=? AND state=? AND gate=? AND runs_on=?)'),
    );
    // Those that are executed count for the concurrency.
    expect(plan.filter((step) => step.includes('runs_by_state'))).toEqual([
      'SEARCH runs USING COVERING INDEX runs_by_state (state=? AND factory=?)',
    ]);
  });
});
