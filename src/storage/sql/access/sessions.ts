import type { Kysely, Selectable } from 'kysely';
import type { Identity, Session, SessionOwner } from '../../../core/access.ts';
import type { LoginLinkId, SessionId, TokenId, UserId } from '../../../core/ids.ts';
import type { SessionTable } from '../../../core/ports/access/session-table.ts';
import type { Schema } from '../schema.ts';
import { readRights } from './rights.ts';

/** Sessions by the hash of what their cookie holds. */
export function createSessionTable(db: Kysely<Schema>): SessionTable {
  return {
    insert: async ({ id, owner, clientAddress, userAgent, createdAt, lastUsedAt, expiresAt }, hash) => {
      const times = { created_at: createdAt, last_used_at: lastUsedAt, expires_at: expiresAt };
      const client = { client_address: clientAddress, user_agent: userAgent };
      const row = { id, hash, ...splitOwner(owner), ...client, ...times };
      await db.insertInto('sessions').values(row).execute();
    },
    find: async (hash, nowMs) => {
      const row = await db
        .selectFrom('sessions')
        .selectAll()
        .where('hash', '=', hash)
        .where('expires_at', '>', nowMs)
        .executeTakeFirst();
      const identity = row === undefined ? null : await findIdentity(db, row);
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

function splitOwner(owner: SessionOwner): Pick<SessionRow, 'user' | 'token' | 'link'> {
  return {
    user: 'user' in owner ? owner.user : null,
    token: 'token' in owner ? owner.token : null,
    link: 'link' in owner ? owner.link : null,
  };
}

/** The condition of a query for the sessions of one owner. */
function isOf(owner: SessionOwner): ['user' | 'token' | 'link', '=', string] {
  if ('user' in owner) return ['user', '=', owner.user];
  return 'token' in owner ? ['token', '=', owner.token] : ['link', '=', owner.link];
}

function toSession(row: SessionRow): Session {
  return {
    id: row.id as SessionId,
    owner: toOwner(row),
    clientAddress: row.client_address,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  };
}

function toOwner({ user, token, link }: SessionRow): SessionOwner {
  if (user !== null) return { user: user as UserId };
  return token !== null ? { token: token as TokenId } : { link: link as LoginLinkId };
}

/** With the rights of this moment: a role that was lowered since counts at once. */
async function findIdentity(db: Kysely<Schema>, { user, token, link }: SessionRow): Promise<Identity | null> {
  if (link !== null) {
    return { kind: 'link', id: link as LoginLinkId, name: 'login link', role: 'owner', factories: null };
  }
  return user !== null ? findUser(db, user) : findToken(db, token!);
}

async function findUser(db: Kysely<Schema>, id: string): Promise<Identity | null> {
  const user = await db
    .selectFrom('users')
    .select(['kind', 'name', 'role', 'factories'])
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  if (user === undefined) return null;
  return { kind: user.kind as 'local' | 'oidc', id: id as UserId, ...readRights(user) };
}

async function findToken(db: Kysely<Schema>, id: string): Promise<Identity | null> {
  const token = await db
    .selectFrom('tokens')
    .select(['name', 'role', 'factories'])
    .where('id', '=', id)
    .executeTakeFirst();
  return token === undefined ? null : { kind: 'token', id: id as TokenId, ...readRights(token) };
}
