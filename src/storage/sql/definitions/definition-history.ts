import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { PlanEntry } from '../../../domain/applies/plan.ts';
import type { ReconciliationId, WebhookUid } from '../../../domain/ids.ts';
import {
  type DefinedObject,
  type DefinitionHistory,
  MAX_EXAMINED_APPLIES,
  MAX_EXAMINED_PLAN_BYTES,
  type NamedObject,
  type ObjectChange,
} from '../../../domain/ports/definitions.ts';
import type { Schema } from '../schema/schema.ts';
import { COMMITS } from '../schema/tables.ts';
import { selectReconciliations, toCommit, toReconciliation } from './commits.ts';

/** Reads what applies changed, and what a name or a revision stands for. */
export function createDefinitionHistory(db: Kysely<Schema>): DefinitionHistory {
  return {
    changes: async ({ limit, ...object }) => {
      const { rows } = await selectChanges(object, limit).execute(db);
      return rows.map(toChange);
    },
    ofRevision: async ({ prefix, factories, limit }) => {
      const rows = await selectReconciliations(db)
        .where('reconciliations.factory', 'in', factories)
        .where('reconciliations.revision', '>=', prefix)
        .where('reconciliations.revision', '<', endOf(prefix))
        .orderBy('reconciliations.seq', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toReconciliation);
    },
    revisions: async ({ prefix, factories, limit }) => {
      const rows = await db
        .selectFrom('reconciliations')
        .select(['factory', 'revision'])
        .where('factory', 'in', factories)
        .where('revision', '>=', prefix)
        .where('revision', '<', endOf(prefix))
        .groupBy(['factory', 'revision'])
        .orderBy((when) => when.case().when('revision', '=', prefix).then(0).else(1).end())
        .orderBy((order) => order.fn.max('seq'), 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ factory, revision }) => ({ factory, revision: revision! }));
    },
    named: async ({ name, factories, limit }) => {
      const found: NamedObject[] = [];
      for (const factory of factories) found.push(...(await findNamed(db, factory, name, limit)));
      return found;
    },
    automationNames: async (factory, limit) => {
      const rows = await db
        .selectFrom('automations')
        .select('name')
        .where('factory', '=', factory)
        .orderBy('name')
        .limit(limit)
        .execute();
      return rows.map(({ name }) => name);
    },
    commit: async (factory, revision) => {
      const row = await db
        .selectFrom('commits')
        .select(['subject', 'author', 'committed_at', 'url'])
        .where('factory', '=', factory)
        .where('revision', '=', revision)
        .executeTakeFirst();
      return row === undefined ? null : COMMITS.fromRow(row);
    },
  };
}

/** Revisions are digits and lowercase letters, and `~` comes after all of them. */
function endOf(prefix: string): string {
  return `${prefix}~`;
}

interface ChangeRow {
  id: string;
  revision: string | null;
  at: number;
  verb: ObjectChange['verb'];
  entry: string;
  subject: string | null;
  author: string | null;
  committed_at: number | null;
  url: string | null;
}

const SECTIONS = { webhook: 'webhooks', automation: 'automations' } as const;

/** The most recent applies and the apply of one revision, without reading the plans of other applies. */
function selectApplies(factory: string, revision: string | null): RawBuilder<unknown> {
  return sql`
    select * from (
      select * from reconciliations where factory = ${factory} and result = 'applied'
      order by seq desc limit ${MAX_EXAMINED_APPLIES}
    ) as newest where octet_length(plan) <= ${MAX_EXAMINED_PLAN_BYTES}
    union
    select * from reconciliations where factory = ${factory} and revision = ${revision} and result = 'applied'`;
}

function selectChanges(object: DefinedObject, limit: number) {
  const { factory, revision, kind, name } = object;
  const isNamed = sql`json_extract(entry.value, '$.name') = ${name}`;
  const isObject =
    kind === 'webhook' ? sql`(${isNamed} or json_extract(entry.value, '$.uid') = ${object.uid})` : isNamed;
  return sql<ChangeRow>`
    select applies.id, applies.revision, applies.finished_at as at, verbs.key as verb, entry.value as entry,
      commits.subject, commits.author, commits.committed_at, commits.url
    from (${selectApplies(factory, revision)}) as applies
    cross join json_each(applies.plan, ${`$.${SECTIONS[kind]}`}) as verbs
    cross join json_each(verbs.value) as entry
    left join commits on commits.factory = applies.factory and commits.revision = applies.revision
    where ${isObject}
    order by applies.seq desc limit ${limit}`;
}

function toChange({ id, revision, at, verb, entry, ...commit }: ChangeRow): ObjectChange {
  const { changes } = JSON.parse(entry) as PlanEntry;
  return { verb, changes, reconciliation: id as ReconciliationId, revision, commit: toCommit(commit), at };
}

async function findNamed(db: Kysely<Schema>, factory: string, name: string, limit: number): Promise<NamedObject[]> {
  const webhooks = await db
    .selectFrom('webhooks')
    .select(['uid', 'deleted_at as deletedAt'])
    .where('factory', '=', factory)
    .where('name', '=', name)
    .where('forgotten_at', 'is', null)
    // The limit concerns the deleted ones.
    .orderBy((by) => by('deleted_at', 'is not', null))
    .orderBy('ref', 'desc')
    .limit(limit)
    .execute();
  const live = await db
    .selectFrom('automations')
    .select('name')
    .where('factory', '=', factory)
    .where('name', '=', name)
    .executeTakeFirst();
  const deletedAt = live === undefined ? await findDeletion(db, factory, name) : null;
  return [
    ...webhooks.map((found) => ({ kind: 'webhook' as const, factory, ...found, uid: found.uid as WebhookUid })),
    ...(live === undefined && deletedAt === null ? [] : [{ kind: 'automation' as const, factory, deletedAt }]),
  ];
}

/** When an examined apply deleted the automation; `null` if none did. */
async function findDeletion(db: Kysely<Schema>, factory: string, name: string): Promise<number | null> {
  const { rows } = await selectChanges({ kind: 'automation', factory, name, revision: null }, 1).execute(db);
  const [last] = rows.map(toChange);
  return last?.verb === 'delete' ? last.at : null;
}
