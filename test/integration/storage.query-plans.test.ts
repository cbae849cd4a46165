import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Storage } from '../../src/core/ports/storage.ts';
import { openDatabase } from '../../src/storage/sqlite/open-database.ts';
import { createSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { applyOneOfEach, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer } from '../helpers/build-offer.ts';
import { useFolder } from '../helpers/with-storage.ts';

const PAGE = { limit: 50, cursor: null };
const NEXT_PAGE = { limit: 50, cursor: Buffer.from('s1000').toString('base64url') };
const RUNS = { factory: FACTORY, state: null, automation: null };
const POLICY = { deliveriesMs: 1, minDeliveries: 50, identitiesMs: 1, runsMs: 1, auditMs: 1 };

/** Each operation with the tables that it may walk whole. */
const OPERATIONS: [name: string, run: (storage: Storage) => Promise<unknown>, mayScan: string[]][] = [
  ['deliveries', (s) => s.deliveryReader.list({ webhookUid: 'wh_a', label: null, ...PAGE }), []],
  ['deliveries after a cursor', (s) => s.deliveryReader.list({ webhookUid: 'wh_a', label: null, ...NEXT_PAGE }), []],
  ['accepted ones', (s) => s.deliveryReader.list({ webhookUid: 'wh_a', label: 'Accepted', ...NEXT_PAGE }), []],
  ['rejected ones', (s) => s.deliveryReader.list({ webhookUid: 'wh_a', label: 'Rejected (auth)', ...PAGE }), []],
  ['one delivery', (s) => s.deliveryReader.get('dlv_a'), []],
  ['one payload', (s) => s.deliveryReader.payload('dlv_a'), []],
  ['keys of stored payloads', (s) => s.storedPayloads.keys({ webhook: 'wh_a', since: 1, before: 9, limit: 9 }), []],
  ['stored payloads', (s) => s.storedPayloads.read([1, 2, 3], 1_000_000), []],
  ['runs', (s) => s.runReader.list({ ...RUNS, ...PAGE }), []],
  ['runs after a cursor', (s) => s.runReader.list({ ...RUNS, ...NEXT_PAGE }), []],
  ['failed runs', (s) => s.runReader.list({ ...RUNS, state: 'failed', ...NEXT_PAGE }), []],
  ['one run', (s) => s.runReader.get('run_a'), []],
  ['a claim', (s) => s.runQueue.claim({ factory: FACTORY, executor: 'command', limit: 4, at: 1 }), []],
  ['the end of a run', (s) => s.runQueue.cancelQueued({ id: 'run_a', at: 1 }), []],
  ['runs left behind', (s) => s.runQueue.running('command'), []],
  ['counts', (s) => s.inventoryReader.counts(FACTORY), []],
  ['webhooks', (s) => s.inventoryReader.webhooks(FACTORY), []],
  ['reconciliations', (s) => s.reconciliationReader.list({ factory: FACTORY, ...NEXT_PAGE }), []],
  ['the last reconciliation', (s) => s.inventory.lastReconciliation(FACTORY), []],
  ['a notice', (s) => s.noticeQueue.next({ factory: FACTORY, target: 'a' }), []],
  ['the newest notice', (s) => s.noticeQueue.newest({ factory: FACTORY, target: 'a' }), []],
  ['notices that are due now', (s) => s.noticeQueue.retryNow({ factory: FACTORY, target: 'a' }, 1), []],
  ['a token', (s) => s.tokens.findByHash(new Uint8Array(32)), []],
  ['a session', (s) => s.sessions.find(new Uint8Array(32), 1), []],
  ['a login link', (s) => s.loginLinks.take(new Uint8Array(32), 1), []],
  ['a user by name', (s) => s.users.findLocal('alice'), []],
  // Read from its end, page by page.
  ['the audit log', (s) => s.auditLog.list({ actor: null, object: null, ...PAGE }), ['audit_log']],
  ['the audit log after a cursor', (s) => s.auditLog.list({ actor: null, object: null, ...NEXT_PAGE }), []],
  ['what somebody did', (s) => s.auditLog.list({ actor: 'usr_a', object: null, ...NEXT_PAGE }), []],
  ['what happened to an object', (s) => s.auditLog.list({ actor: null, object: 'a', ...NEXT_PAGE }), []],
  // Retention walks the small tables whole; of those that grow it takes the front.
  [
    'retention',
    (s) => s.retention.prune(POLICY, 1e15),
    ['factories', 'automation_versions', 'automations', 'secret_versions', 'webhooks'],
  ],
];

describe('every query of the storage', () => {
  const folder = useFolder();
  const statements: { sql: string; plan: string[] }[] = [];
  let storage: Storage;
  let db: Database.Database;

  beforeEach(async () => {
    db = openDatabase(join(folder.path, 'dockbell.db'));
    storage = createSqliteStorage(recordPlans(db));
    const { webhook, version } = await applyOneOfEach(storage);
    const runs = [{ automation: 'fix-errors', version }];
    await storage.deliveryLog.record([1, 2, 3].map(() => buildOffer({ webhook, runs })));
    statements.length = 0;
  });
  afterEach(() => db.close());

  /** The same database, noting the plan of whatever is prepared from now on. */
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

  it.each(OPERATIONS)('finds %s by an index', async (_, run, mayScan) => {
    await run(storage);
    expect(statements).not.toEqual([]);
    for (const { sql, plan } of statements) {
      const scans = plan.filter((step) => /^SCAN (?!CONSTANT ROW)/.test(step));
      const unexpected = scans.filter((step) => !mayScan.includes(step.split(' ')[1]!));
      expect(unexpected, sql).toEqual([]);
    }
  });

  it.each(OPERATIONS)('sorts no page of %s', async (_, run) => {
    await run(storage);
    const pages = statements.filter(({ sql }) => /limit \?/i.test(sql));
    for (const { sql, plan } of pages) {
      expect(
        plan.filter((step) => step.includes('TEMP B-TREE')),
        sql,
      ).toEqual([]);
    }
  });

  it('finds the accepted deliveries of a webhook without walking over the rejected ones', async () => {
    await storage.deliveryReader.list({ webhookUid: 'wh_a', label: 'Accepted', ...NEXT_PAGE });
    const plan = statements.flatMap((statement) => statement.plan);
    expect(plan).toContainEqual(expect.stringContaining('deliveries_by_label (webhook=? AND label=? AND seq<?)'));
  });

  it('finds queued runs without walking over the ended ones', async () => {
    await storage.runQueue.claim({ factory: FACTORY, executor: 'command', limit: 4, at: 1 });
    const plan = statements.flatMap((statement) => statement.plan);
    expect(plan).toContainEqual(expect.stringContaining('runs_by_state (state=? AND factory=?)'));
  });
});
