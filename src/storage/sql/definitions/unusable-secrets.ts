import { type Kysely, sql } from 'kysely';
import { NO_VERSION } from '../../../domain/applies/applied.ts';
import type { UnusableSecrets } from '../../../domain/ports/inventory.ts';
import type { Schema } from '../schema/schema.ts';

/** The secrets that the applied definition of the factory names, and that do not exist or have another scope. */
export async function findUnusableSecrets(db: Kysely<Schema>, factory: string): Promise<UnusableSecrets> {
  return { missingForRuns: await listForRuns(db, factory), outsideScope: await listForWebhooks(db, factory) };
}

/** An index has the versions that list secrets, and they are read first, so no other automation is read. */
function listForRuns(db: Kysely<Schema>, factory: string) {
  const listed = sql<{ id: number; value: string }>`json_each(versions.overrides, '$.secrets')`.as<'listed'>(
    sql.ref('listed'),
  );
  return db
    .selectFrom('automation_versions as versions')
    .crossJoin('automations')
    .crossJoin(listed)
    .leftJoin('secret_names', 'secret_names.name', 'listed.value')
    .select(['versions.name as automation', 'listed.value as secret'])
    .where('versions.factory', '=', factory)
    .where(sql<boolean>`json_extract(versions.overrides, '$.secrets') is not null`)
    .whereRef('automations.factory', '=', 'versions.factory')
    .whereRef('automations.name', '=', 'versions.name')
    .whereRef('automations.version', '=', 'versions.version')
    .where(({ or, eb }) =>
      or([eb('secret_names.newest_version', 'is', null), isExcluded('secret_names.run_factories', factory)]),
    )
    .orderBy('versions.name')
    .orderBy('listed.id')
    .execute();
}

/** A webhook that waits for an issued secret pins no version. A secret of this name may belong to another factory. */
function listForWebhooks(db: Kysely<Schema>, factory: string) {
  return db
    .selectFrom('webhooks')
    .innerJoin('secret_names', (join) =>
      join.on(
        sql<boolean>`secret_names.name in (case when webhooks.secret_version > ${NO_VERSION} then webhooks.secret_name end, webhooks.verify_token_secret_name)`,
      ),
    )
    .select(['webhooks.name as webhook', 'secret_names.name as secret'])
    .where('webhooks.factory', '=', factory)
    .where('webhooks.deleted_at', 'is', null)
    .where('secret_names.newest_version', 'is not', null)
    .where(isExcluded('secret_names.webhook_factories', factory))
    .orderBy('webhooks.name')
    .orderBy('secret_names.name')
    .execute();
}

/** `NULL` stands for all factories. */
function isExcluded(column: string, factory: string) {
  const factories = sql.ref(column);
  return sql<boolean>`(${factories} is not null and ${factory} not in (select value from json_each(${factories})))`;
}
