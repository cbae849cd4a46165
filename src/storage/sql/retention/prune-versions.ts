import type { Piece } from './pass.ts';

/**
 * Keeps the unused versions of automations that runs still refer to. This reads all runs: an index on versions would
 * make each new run slower.
 */
export async function keepVersionsInUse({ db, limit, pass }: Piece): Promise<{ rows: number }> {
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

/** Removes versions that neither an automation nor a run refers to. */
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

/** Removes versions of secrets that are not the newest of their name and that no webhook has pinned. */
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
