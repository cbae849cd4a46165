import type { Piece } from './pass.ts';

/**
 * Walks all runs for the versions that they refer to, where an automation has left some behind. An index would spare
 * the walk, and cost every birth of a run.
 */
export async function spareVersionsInUse({ db, limit, pass }: Piece): Promise<{ rows: number }> {
  if (pass.retiredBefore.size === 0) return { rows: 0 };
  const runs = await db
    .selectFrom('runs')
    .select(['seq', 'version'])
    .where('seq', '>', pass.afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
  for (const run of runs) pass.retiredBefore.delete(run.version);
  pass.afterSeq = runs[runs.length - 1]?.seq ?? pass.afterSeq;
  return { rows: runs.length };
}

/** Versions that no automation has any more and no run refers to. */
export async function pruneAutomationVersions({ db, limit, pass }: Piece): Promise<{ rows: number }> {
  const retired = await db
    .selectFrom('automation_versions')
    .select('version')
    .where('version', 'not in', db.selectFrom('automations').select('automations.version'))
    .execute();
  const versions = retired.map((row) => row.version);
  const due = versions.filter((version) => pass.retiredBefore.has(version)).slice(0, limit);
  if (due.length > 0) await db.deleteFrom('automation_versions').where('version', 'in', due).execute();
  for (const version of versions) pass.retired.add(version);
  return { rows: due.length };
}

/** Versions of secrets that are neither the newest of their name nor pinned by a webhook. */
export async function pruneSecretVersions({ db, limit, pass }: Piece): Promise<{ rows: number }> {
  const unused = await db
    .selectFrom('secret_versions')
    .innerJoin('secret_names', 'secret_names.name', 'secret_versions.name')
    .select(['secret_versions.name', 'secret_versions.version'])
    .where((where) =>
      where.or([
        where('secret_names.newest_version', 'is', null),
        where('secret_names.newest_version', '<>', where.ref('secret_versions.version')),
      ]),
    )
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('webhooks')
            .select('webhooks.ref')
            .where((pinned) =>
              pinned.or([
                pinned.and([
                  pinned('webhooks.secret_name', '=', pinned.ref('secret_versions.name')),
                  pinned('webhooks.secret_version', '=', pinned.ref('secret_versions.version')),
                ]),
                pinned.and([
                  pinned('webhooks.verify_token_secret_name', '=', pinned.ref('secret_versions.name')),
                  pinned('webhooks.verify_token_secret_version', '=', pinned.ref('secret_versions.version')),
                ]),
              ]),
            )
            .where('webhooks.deleted_at', 'is', null),
        ),
      ),
    )
    .execute();
  const describe = (secret: (typeof unused)[number]) => `${secret.name} ${secret.version}`;
  const due = unused.filter((secret) => pass.unpinnedBefore.has(describe(secret))).slice(0, limit);
  for (const { name, version } of due) {
    await db.deleteFrom('secret_versions').where('name', '=', name).where('version', '=', version).execute();
  }
  for (const secret of unused) pass.unpinned.add(describe(secret));
  return { rows: due.length };
}
