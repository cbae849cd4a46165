import { type Kysely, sql } from 'kysely';
import { NO_VERSION } from '../../../domain/applies/applied.ts';
import { MIN_CREDENTIAL_FAILURES, type WebhookTraffic } from '../../../domain/deliveries/webhook-traffic.ts';
import {
  type AutomationView,
  type InventoryReader,
  MAX_FAILING_AUTOMATIONS,
  type SecretState,
  type WebhookView,
} from '../../../domain/ports/inventory.ts';
import type { ScheduleState } from '../../../domain/resources/schedule.ts';
import { MIN_FAILED_IN_A_ROW } from '../../../domain/runs/run-results.ts';
import { RESULT_COLUMNS, toRunResults } from '../runs/run-results.ts';
import { listSchedules } from '../schedules/schedules.ts';
import type { Schema } from '../schema/schema.ts';
import { FACTORIES, WEBHOOKS } from '../schema/tables.ts';
import { COMMIT_COLUMNS, isCommitOf, toCommit } from './commits.ts';
import { selectAutomations, toAppliedAutomation } from './inventory.ts';
import { findUnusableSecrets } from './unusable-secrets.ts';

/** Reads the inventory for the management API. */
export function createInventoryReader(db: Kysely<Schema>): InventoryReader {
  return {
    factories: async () => {
      const rows = await selectFactories(db).selectAll('factories').orderBy('factories.name').execute();
      return rows.map((row) => ({ ...FACTORIES.fromRow(row), appliedCommit: toCommit(row) }));
    },
    head: async (factory) => {
      const row = await selectFactories(db)
        .select('factories.applied_revision')
        .where('factories.name', '=', factory)
        .executeTakeFirst();
      return row ? { name: factory, appliedRevision: row.applied_revision, appliedCommit: toCommit(row) } : null;
    },
    counts: (factory) => countAll(db, factory),
    webhooks: async (factory) => {
      const query = selectViews(db).where('webhooks.factory', '=', factory).where('webhooks.deleted_at', 'is', null);
      return (await query.execute()).map(toWebhookView);
    },
    deletedWebhooks: async (factory) => {
      const query = selectViews(db)
        .where('webhooks.factory', '=', factory)
        .where('webhooks.deleted_at', 'is not', null)
        .where('webhooks.forgotten_at', 'is', null);
      return (await query.execute()).map(toWebhookView);
    },
    webhook: async (uid) => {
      const row = await selectViews(db).where('webhooks.uid', '=', uid).executeTakeFirst();
      return row ? toWebhookView(row) : null;
    },
    webhookNames: async () => {
      const rows = await db
        .selectFrom('webhooks')
        .select(['ref', 'uid', 'factory', 'name', 'enabled', 'deleted_at'])
        .where('forgotten_at', 'is', null)
        .execute();
      return rows.map(({ uid, enabled, deleted_at, ...row }) => ({
        ...row,
        uid: WEBHOOKS.decode('uid', uid),
        enabled: WEBHOOKS.decode('enabled', enabled),
        deletedAt: deleted_at,
      }));
    },
    automations: async (factory) => {
      const rows = await selectAutomationViews(db).where('automations.factory', '=', factory).execute();
      const schedules = new Map<string, ScheduleState[]>();
      for (const one of await listSchedules(db, factory)) {
        schedules.set(one.automation, [...(schedules.get(one.automation) ?? []), one]);
      }
      return rows.map((row) => toAutomationView(row, schedules.get(row.name) ?? []));
    },
    automation: async (factory, name) => {
      const query = selectAutomationViews(db)
        .where('automations.factory', '=', factory)
        .where('automations.name', '=', name);
      const row = await query.executeTakeFirst();
      return row ? toAutomationView(row, await listSchedules(db, factory, [name])) : null;
    },
    unusableSecrets: (factory) => findUnusableSecrets(db, factory),
    failing: async () => ({
      webhooks: await findFailingWebhooks(db),
      automations: await findFailingAutomations(db),
    }),
    runTotals: async (after, limit) => {
      const rows = await db
        .selectFrom('automation_results')
        .select(['factory', 'automation', 'succeeded_total', 'failed_total', 'cancelled_total', 'failures'])
        .where(sql<boolean>`(factory, automation) > (${after?.factory ?? ''}, ${after?.automation ?? ''})`)
        .orderBy('factory')
        .orderBy('automation')
        .limit(limit)
        .execute();
      return rows.map(({ factory, automation, failures: recentFailed, ...row }) => {
        const ended = { succeeded: row.succeeded_total, failed: row.failed_total, cancelled: row.cancelled_total };
        return { factory, automation, ended, recentFailed };
      });
    },
    failedAutomations: async (factory, limit) => {
      const rows = await db
        .selectFrom('automation_results')
        .selectAll()
        .where('factory', '=', factory)
        .where(sql<boolean>`failures > 0`)
        .orderBy('failures', 'desc')
        .orderBy('automation')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ automation: row.automation, results: toRunResults(row) }));
    },
  };
}

/** The factories that are not forgotten, with the commits that they serve. */
function selectFactories(db: Kysely<Schema>) {
  return db
    .selectFrom('factories')
    .leftJoin('commits', (join) => join.on(isCommitOf('factories.name', 'factories.applied_revision')))
    .select(COMMIT_COLUMNS)
    .where('factories.forgotten_at', 'is', null);
}

const TRAFFIC_COLUMNS = [
  'webhook_traffic.last_accepted_at',
  'webhook_traffic.failing_since',
  'webhook_traffic.failed_at',
  'webhook_traffic.failures',
  'webhook_traffic.reason as failure_reason',
] as const;

type TrafficRow = Pick<ViewRow, 'last_accepted_at' | 'failing_since' | 'failed_at' | 'failures' | 'failure_reason'>;

function toTraffic(row: TrafficRow): WebhookTraffic {
  const { last_accepted_at: lastAcceptedAt, failing_since: since } = row;
  if (since === null) return { lastAcceptedAt, credentialFailure: null };
  const { failed_at, failures, failure_reason: reason } = row;
  return { lastAcceptedAt, credentialFailure: { since, lastAt: failed_at ?? since, count: failures ?? 0, reason } };
}

async function findFailingWebhooks(db: Kysely<Schema>) {
  const rows = await db
    .selectFrom('webhook_traffic')
    .innerJoin('webhooks', 'webhooks.ref', 'webhook_traffic.webhook')
    .select(['webhooks.factory', 'webhooks.name'])
    .select(TRAFFIC_COLUMNS)
    .where(
      sql<boolean>`webhook_traffic.failures > 0 and webhook_traffic.failures >= ${sql.lit(MIN_CREDENTIAL_FAILURES)}`,
    )
    .where('webhooks.enabled', '=', 1)
    .where('webhooks.deleted_at', 'is', null)
    .execute();
  const found = rows.map((row) => ({ factory: row.factory, name: row.name, traffic: toTraffic(row) }));
  return found.sort(byFactoryAndName);
}

async function findFailingAutomations(db: Kysely<Schema>) {
  const factories = await db.selectFrom('factories').select('name').execute();
  const found = [];
  for (const { name: factory } of factories) {
    const rows = await db
      .selectFrom('automation_results')
      .selectAll()
      .where('factory', '=', factory)
      .where(sql<boolean>`failures > 0 and failures >= ${sql.lit(MIN_FAILED_IN_A_ROW)}`)
      .where('recent', 'like', `${'f'.repeat(MIN_FAILED_IN_A_ROW)}%`)
      .limit(MAX_FAILING_AUTOMATIONS)
      .execute();
    for (const row of rows) found.push({ factory, name: row.automation, results: toRunResults(row) });
  }
  return found.sort(byFactoryAndName);
}

function byFactoryAndName(one: FactoryObject, other: FactoryObject): number {
  return compareTexts(one.factory, other.factory) || compareTexts(one.name, other.name);
}

interface FactoryObject {
  factory: string;
  name: string;
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Automations with the commit that changed them last and the results of their runs. */
function selectAutomationViews(db: Kysely<Schema>) {
  return selectAutomations(db)
    .leftJoin('commits', (join) => join.on(isCommitOf('automations.factory', 'automations.revision')))
    .leftJoin('automation_results', (join) =>
      join
        .onRef('automation_results.factory', '=', 'automations.factory')
        .onRef('automation_results.automation', '=', 'automations.name'),
    )
    .select(COMMIT_COLUMNS)
    .select(RESULT_COLUMNS);
}

type AutomationViewRow = Awaited<ReturnType<ReturnType<typeof selectAutomationViews>['executeTakeFirstOrThrow']>>;

function toAutomationView(row: AutomationViewRow, schedules: ScheduleState[]): AutomationView {
  return { ...toAppliedAutomation(row), commit: toCommit(row), results: toRunResults(row), schedules };
}

/** Webhooks with the newest versions of their secrets, the outcome of their requests, and their last commit. */
function selectViews(db: Kysely<Schema>) {
  return db
    .selectFrom('webhooks')
    .leftJoin('secret_names', 'secret_names.name', 'webhooks.secret_name')
    .leftJoin('secret_names as verify_tokens', 'verify_tokens.name', 'webhooks.verify_token_secret_name')
    .leftJoin('commits', (join) => join.on(isCommitOf('webhooks.factory', 'webhooks.revision')))
    .leftJoin('webhook_traffic', 'webhook_traffic.webhook', 'webhooks.ref')
    .selectAll('webhooks')
    .select(COMMIT_COLUMNS)
    .select(['secret_names.newest_version', 'verify_tokens.newest_version as newest_verify_token'])
    .select(TRAFFIC_COLUMNS)
    .orderBy('webhooks.name');
}

type ViewRow = Awaited<ReturnType<ReturnType<typeof selectViews>['executeTakeFirstOrThrow']>>;

function toWebhookView(row: ViewRow): WebhookView {
  return {
    ...WEBHOOKS.fromRow(row),
    secretState: rateSecret(row.secret_version, row.newest_version),
    verifyTokenSecretState:
      row.verify_token_secret_name === null
        ? null
        : rateSecret(row.verify_token_secret_version, row.newest_verify_token),
    traffic: toTraffic(row),
    commit: toCommit(row),
  };
}

function rateSecret(pinned: number | null, newest: number | null): SecretState {
  // If none is pinned yet, a secret of this name may belong to another factory.
  if (newest === null || pinned === NO_VERSION) return 'missing';
  return newest === pinned ? 'current' : 'outdated';
}

async function countAll(db: Kysely<Schema>, factory: string) {
  const countRuns = (state: string) =>
    sql<number>`(select count(*) from runs where factory = ${factory} and state = ${state})`;
  const counted = await db
    .selectNoFrom([
      sql<number>`(select count(*) from webhooks where factory = ${factory} and deleted_at is null)`.as('webhooks'),
      sql<number>`(select count(*) from automations where factory = ${factory})`.as('automations'),
      countRuns('queued').as('queuedRuns'),
      countRuns('running').as('runningRuns'),
    ])
    .executeTakeFirstOrThrow();
  return counted;
}
