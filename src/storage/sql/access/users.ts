import type { Kysely, Selectable } from 'kysely';
import type { UserId } from '../../../domain/ids.ts';
import type { UserChange, UserOutcome, UserTable } from '../../../domain/ports/access.ts';
import type { Schema } from '../schema/schema.ts';
import { USERS } from '../schema/tables.ts';

/** User accounts. */
export function createUserTable(db: Kysely<Schema>): UserTable {
  const byId = (id: UserId) => db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  return {
    insertLocal: async (user, passwordHash) => {
      const row = { ...USERS.toRow(user), identity: nameLocal(user.name), password_hash: passwordHash };
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('users')
        .values(row)
        .onConflict((conflict) => conflict.column('identity').doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },
    enterOidc: async ({ issuer, subject }, user) => {
      const row = { ...USERS.toRow(user), identity: `oidc:${issuer} ${subject}`, password_hash: null };
      const { name, role, factories, last_sign_in_at } = row;
      const entered = await db
        .insertInto('users')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .column('identity')
            .doUpdateSet({ name, role, factories, last_sign_in_at })
            .where('users.disabled_at', 'is', null),
        )
        .returningAll()
        .executeTakeFirst();
      return entered === undefined ? null : USERS.fromRow(entered);
    },
    get: async (id) => {
      const row = await byId(id);
      return row === undefined ? null : USERS.fromRow(row);
    },
    list: async () => (await db.selectFrom('users').selectAll().orderBy('id').execute()).map(USERS.fromRow),
    findLocal: async (name) => {
      const row = await db.selectFrom('users').selectAll().where('identity', '=', nameLocal(name)).executeTakeFirst();
      return row === undefined ? null : { user: USERS.fromRow(row), passwordHash: row.password_hash! };
    },
    change: (id, change, at) => db.transaction().execute((trx) => changeUser(trx, id, change, at)),
    delete: (id) =>
      db.transaction().execute(async (trx) => {
        if (await isLastOwner(trx, id)) return 'last_owner';
        const deleted = await trx.deleteFrom('users').where('id', '=', id).executeTakeFirst();
        return deleted.numDeletedRows === 1n ? 'done' : 'not_found';
      }),
    noteSignIn: async (id, at) => {
      await db.updateTable('users').set({ last_sign_in_at: at }).where('id', '=', id).execute();
    },
  };
}

type UserRow = Selectable<Schema['users']>;

/** The unique identity of a local user. */
function nameLocal(name: string): string {
  return `local:${name.toLowerCase()}`;
}

async function changeUser(db: Kysely<Schema>, id: UserId, change: UserChange, at: number): Promise<UserOutcome> {
  const before = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  if (before === undefined) return 'not_found';
  const wasLastOwner = await isLastOwner(db, id);
  const after = applyChange(before, change, at);
  if (wasLastOwner && !isOwner(after)) return 'last_owner';
  await db.updateTable('users').set(after).where('id', '=', id).execute();
  const ends = change.passwordHash !== undefined || change.disabled === true;
  if (ends) await db.deleteFrom('sessions').where('user', '=', id).execute();
  return 'done';
}

function applyChange(before: UserRow, change: UserChange, at: number): UserRow {
  const after = { ...before };
  if (change.role !== undefined) after.role = change.role;
  if (change.factories !== undefined) after.factories = USERS.encode('factories', change.factories);
  if (change.passwordHash !== undefined) {
    after.password_hash = change.passwordHash;
    after.password_changed_at = at;
  }
  if (change.disabled !== undefined) after.disabled_at = change.disabled ? (before.disabled_at ?? at) : null;
  return after;
}

/** Only an owner who can sign in and is not limited to some factories can manage users. */
function isOwner({ role, factories, disabled_at }: Pick<UserRow, 'role' | 'factories' | 'disabled_at'>): boolean {
  return role === 'owner' && factories === null && disabled_at === null;
}

async function isLastOwner(db: Kysely<Schema>, id: UserId): Promise<boolean> {
  const owners = await db
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'owner')
    .where('factories', 'is', null)
    .where('disabled_at', 'is', null)
    .limit(2)
    .execute();
  return owners.length === 1 && owners[0]!.id === id;
}
