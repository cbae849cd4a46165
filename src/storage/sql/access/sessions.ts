import type { Kysely, Selectable } from 'kysely';
import type { Identity, Session, SessionOwner } from '../../../domain/access/access.ts';
import type { LoginLinkId, TokenId, UserId } from '../../../domain/ids.ts';
import type { SessionTable } from '../../../domain/ports/access.ts';
import { hasExpired } from '../../../domain/words/credentials.ts';
import type { Schema } from '../schema/schema.ts';
import { SESSIONS, TOKENS, USERS } from '../schema/tables.ts';

/** Sessions of the dashboard, found by the hash of their cookie. */
export function createSessionTable(db: Kysely<Schema>): SessionTable {
  return {
    insert: async (session, hash) => {
      await db
        .insertInto('sessions')
        .values({ ...toRow(session), hash })
        .execute();
    },
    find: async (hash, nowMs) => {
      const row = await db
        .selectFrom('sessions')
        .selectAll()
        .where('hash', '=', hash)
        .where('expires_at', '>', nowMs)
        .executeTakeFirst();
      const identity = row === undefined ? null : await findIdentity(db, row, nowMs);
      return row === undefined || identity === null ? null : { session: toSession(row), identity };
    },
    touch: async (id, at) => {
      await db.updateTable('sessions').set({ last_used_at: at }).where('id', '=', id).execute();
    },
    end: async (id) => {
      const deleted = await db.deleteFrom('sessions').where('id', '=', id).executeTakeFirst();
      return deleted.numDeletedRows === 1n;
    },
    listOf: async (owner, nowMs) => {
      const rows = await db
        .selectFrom('sessions')
        .selectAll()
        .where(...isOf(owner))
        .where('expires_at', '>', nowMs)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toSession);
    },
    endAll: async (owner, spared) => {
      const query = db.deleteFrom('sessions').where(...isOf(owner));
      await (spared === null ? query : query.where('id', '!=', spared)).execute();
    },
  };
}

type SessionRow = Selectable<Schema['sessions']>;

function toRow({ owner, ...session }: Session) {
  return SESSIONS.toRow({
    ...session,
    user: 'user' in owner ? owner.user : null,
    token: 'token' in owner ? owner.token : null,
    link: 'link' in owner ? owner.link : null,
  });
}

/** The condition that selects the sessions of one owner. */
function isOf(owner: SessionOwner): ['user' | 'token' | 'link', '=', string] {
  if ('user' in owner) return ['user', '=', owner.user];
  return 'token' in owner ? ['token', '=', owner.token] : ['link', '=', owner.link];
}

function toSession(row: SessionRow): Session {
  const { user, token, link, ...session } = SESSIONS.fromRow(row);
  return { ...session, owner: toOwner(user, token, link) };
}

function toOwner(user: UserId | null, token: TokenId | null, link: LoginLinkId | null): SessionOwner {
  if (user !== null) return { user };
  return token !== null ? { token } : { link: link! };
}

/** Reads the current rights: if a role was lowered after the sign-in, the lower role counts immediately. */
async function findIdentity(db: Kysely<Schema>, row: SessionRow, nowMs: number): Promise<Identity | null> {
  const { user, token, link } = SESSIONS.fromRow(row);
  if (link !== null) return { kind: 'link', id: link, name: 'login link', role: 'owner', factories: null };
  return user !== null ? findUser(db, user) : findToken(db, token!, nowMs);
}

async function findUser(db: Kysely<Schema>, id: UserId): Promise<Identity | null> {
  const row = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { kind, name, role, factories } = USERS.fromRow(row);
  return { kind, id, name, role, factories };
}

async function findToken(db: Kysely<Schema>, id: TokenId, nowMs: number): Promise<Identity | null> {
  const row = await db.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) return null;
  const token = TOKENS.fromRow(row);
  if (hasExpired(token, nowMs)) return null;
  const { name, role, factories } = token;
  return { kind: 'token', id, name, role, factories };
}
