import { type Kysely, type Selectable, sql } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { Json } from '../../../domain/json.ts';
import type {
  NewSealedSecret,
  ResealableSecretTable,
  ResealedValue,
  SealedValue,
  StoredSecretSummary,
} from '../../../domain/ports/secret-store.ts';
import type { SecretScope } from '../../../domain/secrets/secret-scope.ts';
import { KEY_CHECK, ROTATION } from '../key-proof.ts';
import type { Schema } from '../schema/schema.ts';
import { SECRET_SCOPES, SECRET_VERSIONS } from '../schema/tables.ts';

/** Encrypted secrets. The row of the name remains after a deletion, so that a version number is never used twice. */
export function createSealedSecrets(db: Kysely<Schema>): ResealableSecretTable {
  return {
    keyCheck: async () => {
      const row = await db.selectFrom('settings').select('value').where('key', '=', KEY_CHECK).executeTakeFirst();
      return row?.value ?? null;
    },
    setKeyCheck: async (check) => {
      await db.insertInto('settings').values({ key: KEY_CHECK, value: check }).execute();
    },
    lastVersion: async (name) => {
      const row = await db
        .selectFrom('secret_names')
        .select('last_version')
        .where('name', '=', name)
        .executeTakeFirst();
      return row?.last_version ?? 0;
    },
    insert: (secret, scope) => insertVersion(db, secret, scope),
    setScope: async (name, scope) => {
      const changed = await db
        .updateTable('secret_names')
        .set(SECRET_SCOPES.toRow(scope))
        .where('name', '=', name)
        .where('newest_version', 'is not', null)
        .executeTakeFirst();
      return changed.numUpdatedRows === 1n;
    },
    newest: async (name) => {
      const row = await db
        .selectFrom('secret_versions')
        .innerJoin('secret_names', (join) =>
          join
            .onRef('secret_names.name', '=', 'secret_versions.name')
            .onRef('secret_names.newest_version', '=', 'secret_versions.version'),
        )
        .selectAll('secret_versions')
        .select(['secret_names.webhook_factories', 'secret_names.run_factories'])
        .where('secret_versions.name', '=', name)
        .executeTakeFirst();
      return row ? { ...SECRET_VERSIONS.fromRow(row), scope: SECRET_SCOPES.fromRow(row) } : null;
    },
    scopes: async (names) => {
      if (names.length === 0) return new Map();
      const rows = await db
        .selectFrom('secret_names')
        .selectAll()
        .where('name', 'in', names)
        .where('newest_version', 'is not', null)
        .execute();
      return new Map(rows.map((row) => [row.name, SECRET_SCOPES.fromRow(row)]));
    },
    get: async (name, version) => {
      const row = await db
        .selectFrom('secret_versions')
        .selectAll('secret_versions')
        .where('secret_versions.name', '=', name)
        .where('secret_versions.version', '=', version)
        .executeTakeFirst();
      return row ? SECRET_VERSIONS.fromRow(row) : null;
    },
    versions: async (name, limit) => {
      const rows = await db
        .selectFrom('secret_versions')
        .selectAll()
        .where('name', '=', name)
        .orderBy('version', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => SECRET_VERSIONS.fromRow(row));
    },
    list: () => listSummaries(db, null),
    find: async (name) => (await listSummaries(db, name))[0] ?? null,
    delete: (name, by) => db.transaction().execute((trx) => deleteName(trx, name, by)),
    rotation: async () => {
      const row = await db.selectFrom('settings').select('value').where('key', '=', ROTATION).executeTakeFirst();
      return row?.value ?? null;
    },
    beginRotation: async (record) => {
      const row = { key: ROTATION, value: record };
      const begun = await db
        .insertInto('settings')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if (begun.numInsertedOrUpdatedRows !== 1n) throw new AppError('conflict', 'The master key is being changed.');
    },
    endRotation: (keyCheck) => db.transaction().execute((trx) => endRotation(trx, keyCheck)),
    sealedElsewhere: (keyId, page) => listSealedElsewhere(db, keyId, page),
    replaceSealed: (values) => db.transaction().execute((trx) => replaceSealed(trx, values)),
  };
}

async function endRotation(db: Kysely<Schema>, keyCheck: Uint8Array): Promise<void> {
  await db.updateTable('settings').set({ value: keyCheck }).where('key', '=', KEY_CHECK).execute();
  await db.deleteFrom('settings').where('key', '=', ROTATION).execute();
}

async function listSealedElsewhere(
  db: Kysely<Schema>,
  keyId: Uint8Array,
  { skip, limit }: { skip: number; limit: number },
): Promise<SealedValue[]> {
  const isElsewhere = sql<boolean>`substr(sealed, 1, ${keyId.byteLength}) <> ${keyId}`;
  const secrets = await db
    .selectFrom('secret_versions')
    .select(['name', 'version', 'sealed'])
    .where(isElsewhere)
    .orderBy('name')
    .orderBy('version')
    .limit(skip + limit)
    .execute();
  const answers = await db
    .selectFrom('kept_answers')
    .select(['key', 'sealed'])
    .where(isElsewhere)
    .orderBy('key')
    .limit(skip + limit - secrets.length)
    .execute();
  const all = [
    ...secrets.map((secret) => ({ kind: 'secret' as const, ...secret })),
    ...answers.map((answer) => ({ kind: 'answer' as const, ...answer })),
  ];
  return all.slice(skip);
}

async function replaceSealed(db: Kysely<Schema>, values: readonly ResealedValue[]): Promise<void> {
  for (const { before, sealed } of values) {
    if (before.kind === 'secret') {
      const row = db.updateTable('secret_versions').set({ sealed }).where('sealed', '=', before.sealed);
      await row.where('name', '=', before.name).where('version', '=', before.version).execute();
    } else {
      const row = db.updateTable('kept_answers').set({ sealed }).where('sealed', '=', before.sealed);
      await row.where('key', '=', before.key).execute();
    }
  }
}

async function deleteName(db: Kysely<Schema>, name: string, by: { at: number; name: string | null }): Promise<boolean> {
  const known = await db
    .selectFrom('secret_names')
    .select('newest_version')
    .where('name', '=', name)
    .executeTakeFirst();
  const newest = known?.newest_version ?? null;
  if (newest === null) return false;
  await noteReplacement(db, { name, version: newest }, by);
  await db.updateTable('secret_names').set({ newest_version: null }).where('name', '=', name).execute();
  return true;
}

async function noteReplacement(
  db: Kysely<Schema>,
  { name, version }: { name: string; version: number },
  by: { at: number; name: string | null },
): Promise<void> {
  const row = db.updateTable('secret_versions').set({ replaced_at: by.at, replaced_by: by.name });
  await row.where('name', '=', name).where('version', '=', version).execute();
}

function insertVersion(db: Kysely<Schema>, secret: NewSealedSecret, scope?: SecretScope): Promise<void> {
  const { name, version, createdAt, createdBy } = secret;
  return db.transaction().execute(async (trx) => {
    const row = {
      last_version: version,
      newest_version: version,
      updated_at: createdAt,
      ...(scope === undefined ? {} : SECRET_SCOPES.toRow(scope)),
    };
    const known = await trx.selectFrom('secret_names').selectAll().where('name', '=', name).executeTakeFirst();
    if (known && known.last_version >= version) {
      throw new AppError('conflict', `version ${version} of secret ${name} already exists`);
    }
    const created = known?.newest_version === null || !known ? { created_at: createdAt } : {};
    await trx
      .insertInto('secret_names')
      .values({ name, created_at: createdAt, ...row })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ ...row, ...created }))
      .execute();
    const replaced = known?.newest_version ?? null;
    if (replaced !== null) {
      await noteReplacement(trx, { name, version: replaced }, { at: createdAt, name: createdBy });
    }
    const stored = SECRET_VERSIONS.toRow({ ...secret, replacedAt: null, replacedBy: null });
    await trx
      .insertInto('secret_versions')
      .values({ ...stored, unused_since: null })
      .execute();
  });
}

/** @param only one name; `null` for all */
async function listSummaries(db: Kysely<Schema>, only: string | null): Promise<StoredSecretSummary[]> {
  const secrets = await db
    .selectFrom('secret_names')
    .selectAll()
    .where('newest_version', 'is not', null)
    .$if(only !== null, (query) => query.where('name', '=', only!))
    .orderBy('name')
    .execute();
  if (secrets.length === 0) return [];
  const users = await listWebhooks(db, only);
  const automations = await listAutomations(db, only);
  return secrets.map((secret) => ({
    name: secret.name,
    version: secret.newest_version!,
    createdAt: secret.created_at,
    updatedAt: secret.updated_at,
    scope: SECRET_SCOPES.fromRow(secret),
    usedBy: users.flatMap((user) => listUses(user, secret.name)),
    listedBy: automations
      .filter(({ listed }) => listed.has(secret.name))
      .map(({ factory, name: automation }) => ({ factory, automation })),
  }));
}

function listWebhooks(db: Kysely<Schema>, secret: string | null): Promise<Selectable<Schema['webhooks']>[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('deleted_at', 'is', null)
    .$if(secret !== null, (query) =>
      query.where((where) =>
        where.or([where('secret_name', '=', secret!), where('verify_token_secret_name', '=', secret!)]),
      ),
    )
    .orderBy('factory')
    .orderBy('name')
    .execute();
}

/** A webhook can use a secret as its credential, as its verify token, or as both. */
function listUses(user: Selectable<Schema['webhooks']>, secretName: string): StoredSecretSummary['usedBy'] {
  const { factory, name: webhook } = user;
  const versions = new Set<number>();
  if (user.secret_name === secretName) versions.add(user.secret_version);
  if (user.verify_token_secret_name === secretName) versions.add(user.verify_token_secret_version!);
  return [...versions].map((version) => ({ factory, webhook, version }));
}

/**
 * The automations whose runs receive secrets, with the names of these.
 *
 * @param secret only automations that can contain this name; `null` for all
 */
async function listAutomations(
  db: Kysely<Schema>,
  secret: string | null,
): Promise<{ factory: string; name: string; listed: Set<unknown> }[]> {
  // Reading the JSON of each of thousands of automations takes longer than to search it.
  const text = JSON.stringify(secret ?? 'secrets');
  const rows = await db
    .selectFrom('automations')
    .innerJoin('automation_versions', 'automation_versions.version', 'automations.version')
    .select(['automations.factory', 'automations.name', 'automation_versions.overrides'])
    .where('automation_versions.overrides', 'like', `%${text}%`)
    .orderBy('automations.factory')
    .orderBy('automations.name')
    .execute();
  return rows.map(({ factory, name, overrides }) => {
    const { secrets } = JSON.parse(overrides) as { secrets?: Json };
    return { factory, name, listed: new Set(Array.isArray(secrets) ? secrets : []) };
  });
}
