import type { ExpressionBuilder, Kysely } from 'kysely';
import { MAX_ROTATION_OVERLAP_MS } from '../../../domain/secrets/rotation-overlap.ts';
import type { Schema } from '../schema/schema.ts';
import { keyOfRevision, type Piece } from './pass.ts';

/**
 * Keeps the unused versions of automations, and the agent files of the revisions, that runs still refer to. This reads all
 * runs: an index on them would make each new run slower.
 */
export async function keepVersionsInUse({ db, limit, pass }: Piece): Promise<{ rows: number }> {
  if (pass.retiredBefore.size === 0 && pass.retiredRevisionsBefore.size === 0) return { rows: 0 };
  const runs = await db
    .selectFrom('runs')
    .select(['seq', 'version', 'factory', 'revision'])
    .where('seq', '>', pass.afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
  for (const run of runs) {
    pass.retiredBefore.delete(run.version);
    if (run.revision !== null) pass.retiredRevisionsBefore.delete(keyOfRevision(run.factory, run.revision));
  }
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

/**
 * Removes versions of secrets that were not in use for `secretVersionsMs`. A version is in use while it is the newest of
 * its name or a webhook has pinned it. An apply can still pin a version that was the newest when it began, so no version
 * is removed by the pass that first finds it unused.
 */
export async function pruneSecretVersions({ db, limit, policy, nowMs }: Piece): Promise<{ rows: number }> {
  const versions = await listChangedVersions(db, nowMs);
  for (const { name, version, isUsed } of versions) {
    const row = db.updateTable('secret_versions').set({ unused_since: isUsed ? null : nowMs });
    await row.where('name', '=', name).where('version', '=', version).execute();
  }
  const due = await db
    .selectFrom('secret_versions')
    .select(['secret_versions.name', 'secret_versions.version'])
    .where('unused_since', '<=', nowMs - policy.secretVersionsMs)
    .limit(limit)
    .execute();
  for (const { name, version } of due) {
    await db.deleteFrom('secret_versions').where('name', '=', name).where('version', '=', version).execute();
  }
  return { rows: due.length };
}

/** The versions whose mark is not up to date: used ones that are marked as unused, and the other way round. */
async function listChangedVersions(
  db: Kysely<Schema>,
  nowMs: number,
): Promise<{ name: string; version: number; isUsed: boolean }[]> {
  const rows = await db
    .selectFrom('secret_versions')
    .innerJoin('secret_names', 'secret_names.name', 'secret_versions.name')
    .select(['secret_versions.name', 'secret_versions.version', 'secret_versions.unused_since'])
    .select((select) => select.or([isNewest(select), isPinned(select, nowMs)]).as('is_used'))
    .execute();
  return rows.flatMap(({ name, version, unused_since: unusedSince, is_used }) => {
    const isUsed = Boolean(is_used);
    return isUsed === (unusedSince !== null) ? [{ name, version, isUsed }] : [];
  });
}

type VersionRow = ExpressionBuilder<Schema, 'secret_versions' | 'secret_names'>;

function isNewest(row: VersionRow) {
  return row.eb('secret_names.newest_version', 'is not distinct from', row.ref('secret_versions.version'));
}

/** An overlap lasts at most as long as `rotationOverlap` allows. */
function isPinned(row: VersionRow, nowMs: number) {
  const webhooks = row.selectFrom('webhooks').select('webhooks.ref').where('webhooks.deleted_at', 'is', null);
  return row.exists(
    webhooks.where((webhook) =>
      webhook.or([
        webhook.and([
          webhook('webhooks.secret_name', '=', webhook.ref('secret_versions.name')),
          webhook('webhooks.secret_version', '=', webhook.ref('secret_versions.version')),
        ]),
        webhook.and([
          webhook('webhooks.secret_name', '=', webhook.ref('secret_versions.name')),
          webhook('webhooks.previous_secret_version', '=', webhook.ref('secret_versions.version')),
          webhook('webhooks.rotation_overlap', '<>', '0s'),
          webhook('webhooks.secret_pinned_at', '>', nowMs - MAX_ROTATION_OVERLAP_MS),
        ]),
        webhook.and([
          webhook('webhooks.verify_token_secret_name', '=', webhook.ref('secret_versions.name')),
          webhook('webhooks.verify_token_secret_version', '=', webhook.ref('secret_versions.version')),
        ]),
      ]),
    ),
  );
}
