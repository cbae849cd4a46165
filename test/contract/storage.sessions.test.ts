import { describe, expect, it } from 'vitest';
import type { LoginLink, Session, SessionOwner } from '../../src/domain/access/access.ts';
import { ids, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const HASH = new Uint8Array(32).fill(7);
const OTHER_HASH = new Uint8Array(32).fill(8);
const RETENTION = { deliveriesMs: 1, minDeliveries: 0, identitiesMs: 1, runsMs: 1, auditMs: 1, secretVersionsMs: 1 };

function buildSession(owner: SessionOwner, more: Partial<Session> = {}): Session {
  const times = { createdAt: START_MS, lastUsedAt: START_MS, expiresAt: START_MS + 1000 };
  const client = { clientAddress: '192.0.2.7', userAgent: 'Firefox' };
  return { id: ids.sessionId(START_MS), owner, ...client, ...times, ...more };
}

function buildLink(more: Partial<LoginLink> = {}): LoginLink {
  const times = { createdAt: START_MS, expiresAt: START_MS + 1000 };
  return { id: ids.loginLinkId(START_MS), origin: 'request', ...times, ...more };
}

describe.each(STORAGES)('sessions on $name', (kind) => {
  const opened = useStorage(kind);
  const sessions = () => opened.storage.sessions;
  const insertToken = async () => {
    const rights = { name: 'ci', role: 'operator', factories: ['payments'] } as const;
    const token = { id: ids.tokenId(START_MS), ...rights, factories: [...rights.factories] };
    await opened.storage.tokens.insert({ ...token, createdAt: START_MS, lastUsedAt: null, expiresAt: null }, HASH);
    return token;
  };

  it('are found by the hash of their cookie, with the rights of their API token', async () => {
    const token = await insertToken();
    const session = buildSession({ token: token.id });
    await sessions().insert(session, HASH);
    expect(await sessions().find(HASH, START_MS)).toEqual({ session, identity: { kind: 'token', ...token } });
    expect(await sessions().find(OTHER_HASH, START_MS)).toBeNull();
  });

  it('of a login link have the owner role', async () => {
    const link = ids.loginLinkId(START_MS);
    await sessions().insert(buildSession({ link }), HASH);
    const found = await sessions().find(HASH, START_MS);
    expect(found!.identity).toEqual({ kind: 'link', id: link, name: 'login link', role: 'owner', factories: null });
  });

  it('store their last use, and cannot be found after they end', async () => {
    const session = buildSession({ link: ids.loginLinkId(START_MS) });
    await sessions().insert(session, HASH);
    await sessions().touch(session.id, START_MS + 5);
    expect((await sessions().find(HASH, START_MS))!.session.lastUsedAt).toBe(START_MS + 5);
    expect(await sessions().end(session.id)).toBe(true);
    expect(await sessions().find(HASH, START_MS)).toBeNull();
    expect(await sessions().end(session.id)).toBe(false);
  });

  it('end with their API token, and when they expire', async () => {
    const { id } = await insertToken();
    await sessions().insert(buildSession({ token: id }), HASH);
    await sessions().insert(buildSession({ link: ids.loginLinkId(START_MS) }), OTHER_HASH);
    await opened.storage.tokens.revoke(id);
    expect(await sessions().find(HASH, START_MS)).toBeNull();
    expect(await sessions().find(OTHER_HASH, START_MS + 999)).not.toBeNull();
    expect(await sessions().find(OTHER_HASH, START_MS + 1000)).toBeNull();
  });

  it('are listed and ended by owner, also all but one, without the sessions of others', async () => {
    const [mine, other] = [ids.loginLinkId(START_MS), ids.loginLinkId(START_MS)];
    const [old, young] = [buildSession({ link: mine }), buildSession({ link: mine }, { createdAt: START_MS + 1 })];
    const expired = buildSession({ link: mine }, { expiresAt: START_MS });
    const theirs = buildSession({ link: other }, { userAgent: null });
    for (const [index, session] of [old, young, expired, theirs].entries()) {
      await sessions().insert(session, new Uint8Array(32).fill(index));
    }
    expect(await sessions().listOf({ link: mine }, START_MS)).toEqual([young, old]);
    await sessions().endAll({ link: mine }, young.id);
    expect(await sessions().listOf({ link: mine }, START_MS)).toEqual([young]);
    await sessions().endAll({ link: mine }, null);
    expect(await sessions().listOf({ link: mine }, START_MS)).toEqual([]);
    expect(await sessions().listOf({ link: other }, START_MS)).toEqual([theirs]);
  });

  it('are removed when they expire, and not before', async () => {
    const session = buildSession({ link: ids.loginLinkId(START_MS) });
    await sessions().insert(session, HASH);
    await opened.storage.retention.prune(RETENTION, START_MS + 999);
    expect(await sessions().end(session.id)).toBe(true);
    await sessions().insert(session, HASH);
    await opened.storage.retention.prune(RETENTION, START_MS + 1000);
    expect(await sessions().end(session.id)).toBe(false);
  });
});

describe.each(STORAGES)('login links on $name', (kind) => {
  const opened = useStorage(kind);
  const links = () => opened.storage.loginLinks;

  it('can be used once', async () => {
    const link = buildLink();
    await links().insert(link, HASH);
    expect(await links().take(HASH, START_MS)).toEqual(link);
    expect(await links().take(HASH, START_MS)).toBeNull();
  });

  it('cannot be used after they expire', async () => {
    await links().insert(buildLink(), HASH);
    expect(await links().take(HASH, START_MS + 1000)).toBeNull();
  });

  it('of a start replace only the link of the previous start', async () => {
    const asked = buildLink();
    await links().insert(asked, HASH);
    await links().insert(buildLink({ origin: 'start' }), OTHER_HASH);
    await links().insert(buildLink({ origin: 'start' }), new Uint8Array(32));
    expect(await links().take(OTHER_HASH, START_MS)).toBeNull();
    expect(await links().take(HASH, START_MS)).toEqual(asked);
  });

  it('that were not used are removed', async () => {
    await links().insert(buildLink(), HASH);
    await opened.storage.retention.prune(RETENTION, START_MS + 1000);
    expect(await links().take(HASH, START_MS)).toBeNull();
  });
});
